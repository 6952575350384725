/** How the parameters of a request are sent: as a form, as a JSON object, or in the query. */
export type ParameterFormat = 'form' | 'json' | 'query';

/**
 * How an OAuth client identifies itself: id and secret by HTTP basic authentication or among the parameters, or its id
 * alone among the parameters.
 */
export type ClientAuthentication = 'basic' | 'body' | 'none';

/** A request that turns one token into another; a null member is as in the code's own token request. */
export interface TokenStep {
  readonly url: string | null;
  readonly format: ParameterFormat | null;
  readonly clientAuthentication: ClientAuthentication | null;
  readonly grantType: string;
  /** The parameter that holds the token. */
  readonly tokenParameter: string;
  /** Templates; they replace parameters of every token request of the same name. */
  readonly parameters: { readonly [name: string]: string };
}

/** How an access token is renewed. `token: accessToken`: by itself, because the vendor issues no refresh tokens. */
export interface TokenRefresh extends TokenStep {
  readonly token: 'refreshToken' | 'accessToken';
}

/**
 * How a vendor states when an access token expires: its lifetime, the time as a number since 1970, or as an RFC 3339
 * text.
 */
export type ExpiryFormat = 'seconds' | 'milliseconds' | 'epochSeconds' | 'epochMilliseconds' | 'dateTime';

/** Where the response of a token endpoint holds what: JSON pointers, of which the first match is used. */
export interface TokenResponseMapping {
  readonly accessTokenPointers: readonly string[];
  readonly refreshTokenPointers: readonly string[];
  readonly expiryPointers: readonly string[];
  readonly expiryFormat: ExpiryFormat;
  readonly scopePointers: readonly string[];
  readonly errorCodePointers: readonly string[];
  readonly errorMessagePointers: readonly string[];
  /** The standard's code for each of the vendor's own codes that has one. */
  readonly errorCodes: { readonly [vendorCode: string]: string };
}

/** Where API calls carry the access token; `prefix` is followed by a space, unless it is empty. */
export interface TokenPlacement {
  readonly in: 'header' | 'query';
  readonly name: string;
  readonly prefix: string;
}

/** How an assertion is signed (RFC 7518 section 3.1). */
export type SigningAlgorithm = 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'ES256' | 'ES384';

/**
 * The signed statement that a JWT bearer grant exchanges for an access token (RFC 7523). Strings are templates over `field`
 * and `setting`; claims without a value are omitted.
 */
export interface TokenAssertion {
  /** Name of the field that holds the private key, in PEM format. */
  readonly privateKeyField: string;
  readonly algorithm: SigningAlgorithm;
  /** The name of the key (`kid`); null: it has none. */
  readonly keyId: string | null;
  readonly issuer: string;
  /** On whose behalf; null: nobody's. */
  readonly subject: string | null;
  /** Null: the token endpoint. */
  readonly audience: string | null;
  readonly lifetimeSeconds: number;
  /** Whether the scopes are a claim of the assertion or a parameter of the request. */
  readonly scopesIn: 'claim' | 'parameter';
  readonly claims: { readonly [name: string]: string };
}

/**
 * The request that revokes a grant (RFC 7009, or a form of the vendor's own). `url` and `parameters` are templates over
 * `field`, `setting` and `token.value`, the token to revoke.
 */
export interface TokenRevocation {
  readonly url: string;
  readonly method: 'POST' | 'DELETE' | 'GET';
  readonly format: ParameterFormat;
  /** Null: as at the token endpoint. */
  readonly clientAuthentication: ClientAuthentication | null;
  /** The token to revoke; the access token if the grant has no refresh token. */
  readonly token: 'refreshToken' | 'accessToken';
  /** The parameter that holds the token; null: none does. */
  readonly tokenParameter: string | null;
  /** Whether the request carries the access token as API calls do. */
  readonly sendsAccessToken: boolean;
  /** What the vendor ends: this grant, or all that the person has granted to the client, by other sign-ins too. */
  readonly scope: 'grant' | 'consent';
  readonly parameters: { readonly [name: string]: string };
}
