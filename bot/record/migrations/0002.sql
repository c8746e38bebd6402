-- The book's own words for a move that came from a book: the position's key, whose 64 bits are
-- kept as a signed number, and the move. NULL for other moves, and for those of version 1.
ALTER TABLE moves ADD COLUMN book_key INTEGER;
ALTER TABLE moves ADD COLUMN book_move INTEGER;
CREATE INDEX moves_of_books ON moves (book_key, book_move) WHERE book_key IS NOT NULL;
