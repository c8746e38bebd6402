package bot

import "context"

// Sizes are how much the daemon remembers, by what.
func (d *Daemon) Sizes(ctx context.Context) map[string]int {
	sizes := make(chan map[string]int, 1)
	d.post(ctx, func() {
		sizes <- map[string]int{
			"crashed games": len(d.crashed), "challenges waiting": len(d.queue), "challenges settled": len(d.settled.ids),
			"games ended": len(d.ended.ids), "own challenges": len(d.outgoing), "withdrawn": len(d.withdrawn.ids), "slots held": len(d.slots.held), "games": len(d.games),
		}
	})
	select {
	case s := <-sizes:
		return s
	case <-ctx.Done():
		return nil
	}
}
