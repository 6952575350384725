import type { ConnectorHead } from '@fairlead/connector-model/model';

/** A validated connector of an account. */
export interface CheckedConnector {
  readonly head: ConnectorHead;
  readonly toolCount: number;
  /** The connector, tools included, as JSON text. */
  readonly json: string;
  /** Length of the beginning of `json` that has the members of `head`, without a closing brace. */
  readonly headLength: number;
  /** Changes exactly when the connector does. */
  readonly contentHash: string;
}

/** Reads connectors from outside. */
export interface ConnectorReader {
  /** Parses these bytes. Throws InvalidConnectorError, as parseConnector does. */
  read(accountId: string, encodedConnector: Uint8Array): Promise<CheckedConnector>;
}
