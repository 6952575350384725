import { KIND_VALUES } from '@fairlead/connector-model/proto-enums';
import { z } from 'zod';

const ACCEPTED = ['Regular', 'Key', 'MCPClient'] as const;

/**
 * Converts the `kind` parameter of a list, in any case, to the services' enum. OPA is refused with a hint where to list on-prem agents (row
 * connections-and-sign-in.14).
 */
export const kindFilter = z
  .preprocess(
    canonical,
    z.enum(ACCEPTED, {
      error: ({ input }) =>
        input === 'OPA'
          ? `must be one of ${ACCEPTED.join(', ')}; on-prem agents (OPA) are listed by /v1/on-prem-agents`
          : undefined,
    }),
  )
  .transform((kind) => KIND_VALUES[kind])
  .describe('Case-insensitive. On-prem agents are listed by /v1/on-prem-agents.');

function canonical(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return Object.keys(KIND_VALUES).find((kind) => kind.toLowerCase() === value.toLowerCase()) ?? value;
}
