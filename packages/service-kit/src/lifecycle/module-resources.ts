import type { Clock } from '../clock.ts';
import type { Closers } from './lifecycle.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { MongoStore } from '../mongo/mongo.ts';
import type { Nats } from '../nats/nats.ts';

/** The resources of a service with which its modules are opened. */
export interface ModuleResources {
  readonly store: MongoStore;
  readonly nats: Nats;
  readonly clock: Clock;
  readonly log: Logger;
  /** Modules add their resources here, to be closed at shutdown. */
  readonly closers: Closers;
}
