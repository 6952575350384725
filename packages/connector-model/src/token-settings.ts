/** How the parameters of a request are sent: as a form, as a JSON object, or in the query. */
export type ParameterFormat = 'form' | 'json' | 'query';

/**
 * How an OAuth client identifies itself: id and secret by HTTP basic authentication or among the parameters, or its id
 * alone among the parameters.
 */
export type ClientAuthentication = 'basic' | 'body' | 'none';

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
  readonly parameters: { readonly [name: string]: string };
}
