import type { Exchange } from '@fairlead/service-kit/http/exchange';

/** The request that the authorization server is handling, which the library does not pass to its storage. */
export interface CurrentRequest {
  readonly exchange: Exchange;
  /** Network address of the client. */
  readonly address: string;
  /** Below the issuer, without the query. */
  readonly path: string;
  /** The user code that a link to the device page carried. */
  readonly linkedCode: string | undefined;
}
