import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Trigger } from '../domain/trigger.ts';

/** One trigger. */
export interface TriggerDocument extends Omit<Trigger, 'id' | 'configuration'> {
  /** The trigger's id. */
  readonly _id: string;
  readonly accountId: string;
  /** JSON text: names of members may not be valid in BSON. */
  readonly configuration: string;
}

/** Lists and exports read the index. */
export const triggerCollection = defineCollection<TriggerDocument>({
  name: 'triggers',
  indexes: [{ key: { accountId: 1, createdAt: -1, _id: -1 }, name: 'list' }],
});
