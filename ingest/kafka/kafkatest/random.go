package kafkatest

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Transactions writes to one partition like several concurrent producers, within
// transactions and without. Each transaction is committed or aborted. It returns the
// committed messages by offset. value returns the value of a message.
func Transactions(t testing.TB, brokers []string, topic string, rng *rand.Rand, steps int, value func(n int) string) []*kgo.Record {
	t.Helper()
	const producers = 3
	ctx := context.Background()
	type producer struct {
		*kgo.Client
		open []*kgo.Record
		busy bool
	}
	var all [producers]producer
	for i := range all {
		all[i].Client = Client(t, brokers, kgo.TransactionalID(fmt.Sprintf("%s-%d", topic, i)))
	}
	single := Client(t, brokers)
	var counts []*kgo.Record
	end := func(p *producer, commit kgo.TransactionEndTry) {
		if err := p.EndTransaction(ctx, commit); err != nil {
			t.Fatalf("cannot end a transaction: %v", err)
		}
		if commit == kgo.TryCommit {
			counts = append(counts, p.open...)
		}
		p.open, p.busy = nil, false
	}
	for n := range steps {
		p := &all[rng.IntN(producers)]
		switch what := rng.IntN(10); {
		case what < 2:
			r := Message(topic, 0, "a", value(n))
			Produce(t, single, r)
			counts = append(counts, r)
		case what < 4 && p.busy:
			end(p, kgo.TryCommit)
		case what < 6 && p.busy:
			end(p, kgo.TryAbort)
		default:
			if !p.busy {
				if err := p.BeginTransaction(); err != nil {
					t.Fatalf("cannot begin a transaction: %v", err)
				}
				p.busy = true
			}
			for range 1 + rng.IntN(3) {
				r := Message(topic, 0, "a", value(n))
				Produce(t, p.Client, r)
				p.open = append(p.open, r)
			}
		}
	}
	for i := range all {
		if all[i].busy {
			end(&all[i], kgo.TransactionEndTry(i%2 == 0))
		}
	}
	slices.SortFunc(counts, func(a, b *kgo.Record) int { return cmp.Compare(a.Offset, b.Offset) })
	return counts
}
