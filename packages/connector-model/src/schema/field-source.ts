import { z } from 'zod';
import { jsonPointer } from './request.ts';

const HOST = /^(?:\*|\.?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*)$/;

/** The source of a field's value besides auth providers and options, and the rules for valid values. */
export const fieldSourceShape = {
  atSignIn: z
    .boolean()
    .default(false)
    .describe(
      'The caller gives the value when the sign-in starts, because an address of the vendor needs it, such as the subdomain of a tenant. Only for sign-ins.',
    ),
  capturedFrom: z
    .discriminatedUnion('type', [
      z.strictObject({
        type: z.literal('callback').describe('A query parameter of the redirect that ends the sign-in.'),
        parameter: z.string().min(1).max(100).describe('Name of the parameter, such as realmId.'),
      }),
      z.strictObject({
        type: z.literal('tokenResponse').describe('A member of the token response.'),
        pointer: jsonPointer.describe('Position of the value in the response, such as /instance_url.'),
      }),
    ])
    .nullable()
    .default(null)
    .describe(
      'Where the vendor sends the value, which callers never set; null: it does not. A required one that is missing ends the sign-in.',
    ),
  pattern: z
    .string()
    .min(1)
    .max(500)
    .nullable()
    .default(null)
    .describe('A regular expression that the whole of a text value matches; null: any text.'),
  // Allowed hosts; empty: the value is not a host.
  allowedHosts: z
    .array(z.string().max(253).regex(HOST, 'must be api.vendor.com, .vendor.com (every host below) or *'))
    .max(50)
    .default([])
    .describe(
      'The hosts that a value, a URL or a host name, may have: api.vendor.com that host, .vendor.com every host below it, * any.',
    ),
};
