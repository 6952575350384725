import { z } from 'zod';

/** Schema of a change to a canary, as it is stored. A newer release may add members. */
export const canaryChangeSchema = z.object({
  /** Percentage of accounts; overrides the rule's. */
  weight: z.number().min(0).max(100),
  isAborted: z.boolean(),
  by: z.enum(['operator', 'analysis', 'route']),
  /** ISO 8601 in UTC with milliseconds; later than every change before it. */
  at: z.iso.datetime({ precision: 3 }),
  /** Digest of the rule that it applies to; with any other rule, the change has no effect. */
  of: z.string(),
  /** Generation and uid of the route from which the weight comes, or which existed at the change. */
  routeGeneration: z.number().int().optional(),
  routeUid: z.string().optional(),
});

/** A change to the canary of a service, made on top of the operator's values. */
export type CanaryChange = Readonly<z.infer<typeof canaryChangeSchema>>;
