import type { ConnectorHead } from '@fairlead/connector-model/model';

/** A connector of an account that may enter the catalogue. */
export interface CheckedConnector {
  readonly head: ConnectorHead;
  readonly toolCount: number;
  /** The connector, tools included, as JSON text. */
  readonly json: string;
  /** The characters of `json` that are the head, but for the brace that ends it. */
  readonly headLength: number;
  /** Changes exactly when the connector does. */
  readonly contentHash: string;
}

/** Reads connectors that come from outside. */
export interface ConnectorReader {
  /** The connector in these bytes. Throws InvalidConnectorError, as parseConnector does. */
  read(accountId: string, encodedConnector: Uint8Array): Promise<CheckedConnector>;
}
