import type { Clock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { CountedPart } from '../storage/event-selection.ts';
import { createEventCounts } from '../storage/event-counts.ts';
import { createEventRepository } from '../storage/event.repository.ts';

/**
 * Events of a store, as one replica reads and counts them. Checkpoints are added only when the test says so; `requested` are the requested
 * ones.
 */
export function eventStorage(o: {
  readonly store: MongoStore;
  readonly clock: Clock;
  readonly rowsPerCheckpoint?: number;
}) {
  const counts = createEventCounts(o);
  const requested: CountedPart[] = [];
  const extension = { request: (_accountId: string, part: CountedPart) => void requested.push(part) };
  return {
    counts,
    requested,
    events: createEventRepository({ store: o.store, counts, extension, nearOffset: o.rowsPerCheckpoint }),
  };
}
