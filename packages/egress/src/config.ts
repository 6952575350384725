import { z } from 'zod';

/** The variables of every service that calls addresses which an account can choose. */
export const egressConfigShape = {
  /** Comma list of CIDRs, addresses and host:port patterns that such calls may reach although they are internal. Default: none. */
  EGRESS_ALLOW: z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    ),
};
