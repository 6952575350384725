import { ConfigError, secretVariable } from '@fairlead/service-kit/config';
import type { Secret } from '@fairlead/service-kit/secret';
import { z } from 'zod';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * The variables of the operator's OpenID provider, with which people may sign in besides their password. Its client
 * is registered there with the redirect address `<PUBLIC_URL>/oauth/upstream/callback`. Default: none.
 */
export const upstreamConfigShape = {
  /** Issuer of the provider, without `/.well-known/…`. Turns sign-in with it on; id and secret of our client are then required. */
  UPSTREAM_OIDC_ISSUER: z
    .url({ protocol: /^https?$/, error: 'expected https://…' })
    .refine(
      // Codes and secrets travel to it.
      (text) => text.startsWith('https:') || LOOPBACK.test(URL.parse(text)?.hostname ?? ''),
      'expected https://…, http://… on this machine only',
    )
    .optional(),
  /** Id of our client at the provider of UPSTREAM_OIDC_ISSUER. */
  UPSTREAM_OIDC_CLIENT_ID: z.string().optional(),
  /** Secret of our client at that provider. */
  UPSTREAM_OIDC_CLIENT_SECRET: secretVariable.optional(),
  /** How the button names the provider: "Continue with …". Default: the host of the issuer. */
  UPSTREAM_OIDC_NAME: z.string().max(40).optional(),
};

/** The settings of a provider that people may sign in with. */
export interface UpstreamSettings {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly name: string;
}

/** The configured provider; undefined if none is. Throws a ConfigError if only some of the variables are set. */
export function upstreamSettings(
  config: z.infer<z.ZodObject<typeof upstreamConfigShape>>,
): UpstreamSettings | undefined {
  const {
    UPSTREAM_OIDC_ISSUER: issuer,
    UPSTREAM_OIDC_CLIENT_ID: clientId,
    UPSTREAM_OIDC_CLIENT_SECRET: clientSecret,
    UPSTREAM_OIDC_NAME: name,
  } = config;
  if ([issuer, clientId, clientSecret, name].every((value) => value === undefined)) return undefined;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) {
    throw new ConfigError(
      'UPSTREAM_OIDC_ISSUER, UPSTREAM_OIDC_CLIENT_ID and UPSTREAM_OIDC_CLIENT_SECRET: set all of them or none',
    );
  }
  const url = new URL(issuer);
  return { issuer: url, clientId, clientSecret, name: name ?? url.host };
}
