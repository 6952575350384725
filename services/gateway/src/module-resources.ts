import type { Clock } from '@fairlead/service-kit/clock';
import type { Closers } from '@fairlead/service-kit/lifecycle/lifecycle';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import type { Sealer } from '@fairlead/service-kit/sealing/sealing';

/** The resources that every module of the gateway is opened with. */
export interface ModuleResources {
  readonly store: MongoStore;
  readonly nats: Nats;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly log: Logger;
  /** A module adds here what must be closed at shutdown. */
  readonly closers: Closers;
}
