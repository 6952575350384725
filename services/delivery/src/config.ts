import { mongoConfigShape, natsConfigShape, serverConfigShape } from '@fairlead/service-kit/config';
import { egressConfigShape } from '@fairlead/egress/config';
import { sealingConfigShape } from '@fairlead/sealing/config';
import { z } from 'zod';

const positive = z.coerce.number<string>('expected a whole number').int().min(1);

/** The settings that the delivery service reads from its environment. */
export const deliveryConfig = z.object({
  ...serverConfigShape,
  /** Milliseconds that a request in flight gets to finish after a stop: the deadline of a delivery, and a margin. Default 12 000. */
  SHUTDOWN_GRACE_MS: serverConfigShape.SHUTDOWN_GRACE_MS.unwrap().default(12_000),
  ...mongoConfigShape,
  /** The service's database: destinations with their sealed secrets, events and their deliveries. */
  MONGODB_DATABASE: mongoConfigShape.MONGODB_DATABASE.default('fairlead_delivery'),
  ...natsConfigShape,
  ...sealingConfigShape,
  ...egressConfigShape,
  /**
   * Most requests that a replica begins in one second for one destination; further attempts wait. Not set by default: a
   * destination gets its events as fast as it answers, up to eight at once.
   */
  DESTINATION_REQUESTS_PER_SECOND: positive.max(10_000).optional(),
});

/** The delivery service's configuration. */
export type DeliveryConfig = Readonly<z.infer<typeof deliveryConfig>>;
