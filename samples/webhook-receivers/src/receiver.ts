import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook, WebhookVerificationError } from '@fairlead/sdk';

// Receives the events of a destination: set WEBHOOK_SECRET to its signing secret. README.md says how to run it.
const secret = process.env['WEBHOOK_SECRET'] ?? '';
if (secret === '') throw new Error('WEBHOOK_SECRET is not set');
const MAX_BODY_BYTES = 1_048_576;

// An event may arrive more than once, always with the same id. Use a unique index of your database instead of this set.
const handled = new Set<string>();

/** The body as received, or undefined if it is longer than any event. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Handles a delivery and returns the response's status. Any 2xx acknowledges the event. */
async function receive(request: IncomingMessage): Promise<number> {
  const body = await readBody(request);
  if (body === undefined) return 413;
  try {
    // Verify the raw body: JSON that was parsed and serialised again has another signature.
    const event = verifyWebhook(body, request.headers['fairlead-signature'], secret);
    if (!handled.has(event.id)) console.log(event.id, event.type);
    handled.add(event.id);
    return 204;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return 401;
    throw error;
  }
}

const server = createServer((request, response) => {
  receive(request).then(
    (status) => response.writeHead(status).end(),
    (error: unknown) => {
      console.error(error);
      // Fairlead repeats the delivery later.
      response.writeHead(500).end();
    },
  );
});
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
