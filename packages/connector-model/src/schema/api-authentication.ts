import { z } from 'zod';

const headerOrParameter = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[A-Za-z0-9_.-]+$/, 'must be the name of a header, parameter or cookie');

const endpoint = z
  .string()
  .max(2_000)
  .regex(/^https?:\/\/[^\s{}]+$/, 'must be an http or https URL');

/** The sign-in of connections to an API, where its description does not state it. */
export const apiAuthentication = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('none').describe('Nothing is sent.') }),
    z.strictObject({
      type: z.literal('apiKey').describe('A key in a header, a query parameter or a cookie.'),
      in: z.enum(['header', 'query', 'cookie']).describe('Where the key is sent.'),
      name: headerOrParameter.describe('Name of the header, parameter or cookie.'),
    }),
    z.strictObject({ type: z.literal('basic').describe('A user name and a password.') }),
    z.strictObject({ type: z.literal('bearer').describe('A token in the header Authorization.') }),
    z.strictObject({
      type: z
        .literal('oauth2')
        .describe('A sign-in by OAuth 2, or the client for itself if there is no authorizationUrl.'),
      authorizationUrl: endpoint.nullable().default(null).describe("The vendor's authorization endpoint."),
      tokenUrl: endpoint.describe("The vendor's token endpoint."),
      scopes: z.array(z.string().min(1).max(500)).max(100).default([]).describe('Scopes to ask for.'),
    }),
  ])
  .describe('How connections sign in.');

/** The authentication of connections to an API. */
export type ApiAuthentication = z.output<typeof apiAuthentication>;
