import { InvalidConnectorError } from '@fairlead/connector-model/codec';
import type { ConnectorIssue } from '@fairlead/connector-model/codec';
import { createWorkThread } from '@fairlead/service-kit/threads/work-thread';
import type { CheckedConnector, ConnectorReader } from '../ports/connector-reader.ts';
import { checkConnector } from './check-connector.ts';

/** The thread's result. */
export type ConnectorAnswer =
  | { readonly kind: 'accepted'; readonly connector: CheckedConnector }
  | { readonly kind: 'refused'; readonly issues: readonly ConnectorIssue[] };

/** Connectors up to this size are parsed synchronously, which takes a few milliseconds. */
const MAX_BYTES_IN_PLACE = 128 * 1024;

/** Parses small connectors synchronously and large ones in a thread; `charge` gets the thread's CPU time. */
export function createConnectorReader(
  charge: (accountId: string, cpuMs: number) => void,
): ConnectorReader & { close(): Promise<void> } {
  const thread = createWorkThread<Uint8Array, ConnectorAnswer>(
    new URL('connector.thread.ts', import.meta.url),
  );
  return {
    async read(accountId, encodedConnector) {
      if (encodedConnector.length <= MAX_BYTES_IN_PLACE) return checkConnector(encodedConnector);
      // Copied: the bytes are part of a message's buffer, which must not be transferred.
      const bytes = new Uint8Array(encodedConnector);
      const { answer, cpuMs } = await thread.run(accountId, bytes, [bytes]);
      charge(accountId, cpuMs);
      if (answer.kind === 'accepted') return answer.connector;
      throw new InvalidConnectorError(answer.issues);
    },
    close: () => thread.close(),
  };
}
