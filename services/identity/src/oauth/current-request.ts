import type { Exchange } from '@fairlead/service-kit/http/exchange';

/** The request that the authorization server is handling. The library does not pass it to its storage. */
export interface CurrentRequest {
  readonly exchange: Exchange;
  /** Network address of the client. */
  readonly address: string;
  /** Path below the issuer, without the query. */
  readonly path: string;
  /** The user code that a link to the device page carried. */
  readonly linkedCode: string | undefined;
}
