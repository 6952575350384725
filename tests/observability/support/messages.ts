import { connect } from '@nats-io/transport-node';
import type { Evidence } from './search.ts';

/** A subscriber to every message of a NATS server. */
export interface Listener {
  /** Messages so far: subject, headers and payload. */
  heard(): Evidence[];
  close(): Promise<void>;
}

/** Subscribes to every message from now on, whatever its subject. */
export async function listenToMessages(natsUrl: string): Promise<Listener> {
  const connection = await connect({ servers: natsUrl });
  const evidence: Evidence[] = [];
  connection.subscribe('>', {
    callback: (error, message) => {
      if (error !== null) throw error;
      const headers = JSON.stringify([...(message.headers ?? [])]);
      evidence.push({
        place: `message ${message.subject}`,
        bytes: Buffer.concat([Buffer.from(`${message.subject}\n${headers}\n`), message.data]),
      });
    },
  });
  // When it responds, the server has the subscription.
  await connection.flush();
  return { heard: () => evidence, close: () => connection.close() };
}
