package main

import (
	"context"
	"sync"
)

// feed hands values from callbacks that must not wait to a reader that may take its time.
// It never blocks the sender and never loses a value.
type feed[T any] struct {
	mu     sync.Mutex // guards queue
	queue  []T
	filled chan struct{} // holds one token while the queue may have something in it
}

func newFeed[T any]() *feed[T] { return &feed[T]{filled: make(chan struct{}, 1)} }

func (f *feed[T]) put(v T) {
	f.mu.Lock()
	f.queue = append(f.queue, v)
	f.mu.Unlock()
	select {
	case f.filled <- struct{}{}:
	default:
	}
}

// take is all that has come and was not taken yet.
func (f *feed[T]) take() []T {
	f.mu.Lock()
	defer f.mu.Unlock()
	values := f.queue
	f.queue = nil
	return values
}

// each calls use with every value in its order until the context ends; what is there then
// is still used.
func (f *feed[T]) each(ctx context.Context, use func(T)) {
	for ended := false; ; {
		for _, v := range f.take() {
			use(v)
		}
		if ended {
			return
		}
		select {
		case <-f.filled:
		case <-ctx.Done():
			ended = true
		}
	}
}
