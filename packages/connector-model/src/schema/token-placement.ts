import { z } from 'zod';

/** The place of the access token in API calls. */
export const tokenPlacement = z
  .strictObject({
    in: z.enum(['header', 'query']).default('header').describe('Where the access token is sent.'),
    name: z
      .string()
      .max(100)
      .regex(/^[A-Za-z0-9_-]+$/, 'must be the name of a header or parameter')
      .default('Authorization')
      .describe('Name of the header or query parameter.'),
    prefix: z
      .string()
      .max(50)
      .regex(/^[\u0021-\u007e]*$/, 'must be one word')
      .default('Bearer')
      .describe('The word before the token; empty: none.'),
  })
  .describe('Where API calls carry the access token.');
