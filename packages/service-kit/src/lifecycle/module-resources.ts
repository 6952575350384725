import type { Clock } from '../clock.ts';
import type { Closers } from './lifecycle.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { MongoStore } from '../mongo/mongo.ts';
import type { Nats } from '../nats/nats.ts';

/** The resources of a service that its modules are opened with. */
export interface ModuleResources {
  readonly store: MongoStore;
  readonly nats: Nats;
  readonly clock: Clock;
  readonly log: Logger;
  /** A module adds here what must be closed at shutdown. */
  readonly closers: Closers;
}
