import { mongoConfigShape, natsConfigShape, serverConfigShape } from '@fairlead/service-kit/config';
import { z } from 'zod';

/** What the triggers service reads from its environment. */
export const triggersConfig = z.object({
  ...serverConfigShape,
  ...mongoConfigShape,
  /** The service's database: triggers. */
  MONGODB_DATABASE: mongoConfigShape.MONGODB_DATABASE.default('fairlead_triggers'),
  ...natsConfigShape,
});

/** The triggers service's configuration. */
export type TriggersConfig = Readonly<z.infer<typeof triggersConfig>>;
