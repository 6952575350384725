import { z } from 'zod';
import { template, templateMap } from './template.ts';

const MAX_LIFETIME_SECONDS = 3600;

/** The assertion of a JWT bearer grant. */
export const tokenAssertion = z
  .strictObject({
    privateKeyField: z
      .string()
      .default('privateKey')
      .describe('Name of the field that holds the private key, in PEM format (PKCS #8, PKCS #1 or SEC 1).'),
    algorithm: z
      .enum(['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384'])
      .default('RS256')
      .describe('How the assertion is signed.'),
    keyId: template.nullable().default(null).describe('The `kid` of the key, a template; null: none.'),
    issuer: template.describe('The `iss` claim, a template: who asks.'),
    subject: template
      .nullable()
      .default(null)
      .describe('The `sub` claim, a template: on whose behalf; null, or without a value: none.'),
    audience: template
      .nullable()
      .default(null)
      .describe('The `aud` claim, a template; null: the token endpoint.'),
    lifetimeSeconds: z
      .int()
      .min(60)
      .max(MAX_LIFETIME_SECONDS)
      .default(300)
      .describe('How long the assertion is valid.'),
    scopesIn: z
      .enum(['claim', 'parameter'])
      .default('claim')
      .describe('Whether the scopes are a claim of the assertion, or a parameter of the request.'),
    claims: templateMap.default({}).describe('Additional claims, templates; one without a value is omitted.'),
  })
  .describe('The signed statement that a JWT bearer grant exchanges for a token (RFC 7523).');
