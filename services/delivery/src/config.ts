import { mongoConfigShape, natsConfigShape, serverConfigShape } from '@fairlead/service-kit/config';
import { egressConfigShape } from '@fairlead/egress/config';
import { sealingConfigShape } from '@fairlead/sealing/config';
import { z } from 'zod';

const positive = z.coerce.number<string>('expected a whole number').int().min(1);

/** The settings that the delivery service reads from its environment. */
export const deliveryConfig = z.object({
  ...serverConfigShape,
  /**
   * Milliseconds that requests in flight get to finish after a stop is requested; must exceed the deadline of a delivery. Default 12 000.
   */
  SHUTDOWN_GRACE_MS: serverConfigShape.SHUTDOWN_GRACE_MS.unwrap().default(12_000),
  ...mongoConfigShape,
  /** The service's database: destinations with their sealed secrets, events and their deliveries. */
  MONGODB_DATABASE: mongoConfigShape.MONGODB_DATABASE.default('fairlead_delivery'),
  ...natsConfigShape,
  ...sealingConfigShape,
  ...egressConfigShape,
  /**
   * Maximum requests per second that a replica begins for one destination; further attempts wait. Default: no limit; a destination gets
   * events as fast as it answers, up to eight at once.
   */
  DESTINATION_REQUESTS_PER_SECOND: positive.max(10_000).optional(),
});

/** The delivery service's configuration. */
export type DeliveryConfig = Readonly<z.infer<typeof deliveryConfig>>;
