package eval

// Weights are the numbers of the evaluation, middlegame and endgame in centipawns. Arrays
// that end in [8] go by the rank of the pawn as its side sees it, or by piece type.
type Weights struct {
	Material [6]pair
	// PST is by whether the enemy king is on the same wing as the own one (0) or on the
	// other (1), piece type, and square as its side sees it, a1 first, the board turned so
	// that the own king is on the right half.
	PST [2][6][64]pair

	// Mobility is by the number of squares attacked in the mobility area.
	KnightMobility [9]pair
	BishopMobility [14]pair
	RookMobility   [15]pair
	QueenMobility  [28]pair

	BishopPair pair
	// BishopPawns is by the number of own pawns on the bishop's colour, BishopBlocked per
	// pawn of those that is blocked on a central file.
	BishopPawns   [9]pair
	BishopBlocked pair
	BishopOutpost pair
	BishopLong    pair
	// KnightOutpost: without and with a pawn's protection.
	KnightOutpost   [2]pair
	KnightReach     pair
	MinorBehindPawn pair
	// KnightKing and BishopKing are by the distance to the own king.
	KnightKing, BishopKing [8]pair

	// KnightPawns and RookPawns are by the number of own pawns, for each such piece.
	KnightPawns, RookPawns [9]pair

	RookOpen, RookHalfOpen, RookTrapped, RookSeventh pair

	// Isolated and Backward: facing an enemy pawn on the file, or none.
	Isolated, Backward    [2]pair
	Doubled, DoubledClose pair
	LeverTwice            pair
	// Connected: protected only, or with a neighbour on the same rank; by rank.
	Connected                   [2][8]pair
	Supported, ConnectedOpposed pair
	Candidate                   [8]pair

	Passed [8]pair
	// King distances to the square before the pawn, capped at 5, times the rank from 1.
	PassedOwnKing, PassedEnemyKing [6]pair
	// PassedFree: no square of the way is attacked; PassedStep: the next one is not.
	PassedFree, PassedStep, PassedDefended, PassedBlocked [8]pair
	// PassedRunner: the enemy has only pawns and its king is too far away.
	PassedRunner pair

	// Shelter and Storm are by the distance of the file to the edge and by the rank of the
	// nearest own or enemy pawn on it, 0 for none.
	Shelter, Storm [4][8]pair
	StormBlocked   [8]pair

	KingOpen, KingHalfOpen pair
	// PawnlessFlank: no pawn of either side on the files around the king.
	PawnlessFlank pair

	// Threats are by the type of the piece that is threatened; those of minor pieces and
	// rooks by whether it is protected (0) or weak (1).
	ThreatByPawn                [8]pair
	ThreatByMinor, ThreatByRook [2][8]pair
	// Pinned is for each own piece that stands between an enemy slider and the king.
	Pinned                             pair
	ThreatByKing, Hanging, WeakByQueen pair
	Restricted, ThreatByPush           pair
	QueenByKnight, QueenBySlider       pair

	Space pair

	// Tempo is the bonus of the side to move, in both stages.
	Tempo    int
	Danger   Danger
	Progress Progress
}

// Progress are the weights, in centipawns, of how hard it is to hold a lost endgame: their
// sum raises or lowers the endgame value of the better side, but never below a draw.
type Progress struct {
	Base int
	// Pawn is for each pawn, BothFlanks if there are some on both wings, Infiltration if a
	// king has crossed the middle, Outflanking for each file that lies between the kings
	// beyond the ranks, PawnEnding without pieces, Passed for each passed pawn.
	Pawn, BothFlanks, Infiltration, Outflanking, PawnEnding, Passed int
}

// Danger are the weights of the attack on a king, in units of which the square, divided by
// 4096, is centipawns.
type Danger struct {
	Base     int
	Attacker [6]int
	// SafeCheck is by piece type, for one and for several squares.
	SafeCheck                         [6][2]int
	RingAttack, WeakRing, UnsafeCheck int
	FlankAttack, FlankDefence         int
	Shelter/* per 16 centipawns of it */ int
	NoQueen, KnightDefender, Pinned int
}
