import { ConfigError, secretVariable } from '@fairlead/service-kit/config';
import type { Secret } from '@fairlead/service-kit/secret';
import { z } from 'zod';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * The variables of the operator's OpenID provider, with which people may sign in instead of a password. Register our client there with the
 * redirect address `<PUBLIC_URL>/oauth/upstream/callback`. Default: none.
 */
export const upstreamConfigShape = {
  /** Issuer of the provider, without `/.well-known/…`. Enables sign-in with it, and requires id and secret of our client. */
  UPSTREAM_OIDC_ISSUER: z
    .url({ protocol: /^https?$/, error: 'expected https://…' })
    .refine(
      // https, because codes and secrets are sent to it.
      (text) => text.startsWith('https:') || LOOPBACK.test(URL.parse(text)?.hostname ?? ''),
      'expected https://…, http://… on this machine only',
    )
    .optional(),
  /** Id of our client at the provider of UPSTREAM_OIDC_ISSUER. */
  UPSTREAM_OIDC_CLIENT_ID: z.string().optional(),
  /** Secret of our client at that provider. */
  UPSTREAM_OIDC_CLIENT_SECRET: secretVariable.optional(),
  /** Name of the provider on the button: "Continue with …". Default: the host of the issuer. */
  UPSTREAM_OIDC_NAME: z.string().max(40).optional(),
};

/** The settings of an upstream provider. */
export interface UpstreamSettings {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly name: string;
}

/** The configured provider; undefined if none of the variables is set. Throws a ConfigError if only some are. */
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
