import { z } from 'zod';
import { template, templateMap } from './template.ts';
import { clientAuthentication, parameterFormat, parameterName } from './token-parameters.ts';

const step = {
  url: template.nullable().default(null).describe("Its endpoint, a template; null: the scheme's tokenUrl."),
  format: parameterFormat
    .nullable()
    .default(null)
    .describe("How parameters are sent; null: as the scheme's tokenFormat says."),
  clientAuthentication: clientAuthentication
    .nullable()
    .default(null)
    .describe('How the client authenticates here; null: as at the token endpoint.'),
  parameters: templateMap
    .default({})
    .describe('Additional parameters, templates; they replace tokenParameters of the same name.'),
};
const grantType = z.string().min(1).max(200).describe('The value of grant_type.');

/** The exchange of a sign-in's token. */
export const tokenExchange = z
  .strictObject({
    ...step,
    grantType,
    tokenParameter: parameterName.describe('Name of the parameter that holds the access token to exchange.'),
  })
  .describe('Exchanges the short-lived access token of a sign-in for the one to keep.');

/** The renewal of an access token. */
export const tokenRefresh = z
  .strictObject({
    ...step,
    token: z
      .enum(['refreshToken', 'accessToken'])
      .default('refreshToken')
      .describe('accessToken: the vendor issues no refresh tokens, and renews an access token by itself.'),
    grantType: grantType.default('refresh_token'),
    tokenParameter: parameterName
      .default('refresh_token')
      .describe('Name of the parameter that holds the token.'),
  })
  .describe('How an access token is renewed.');
