import { once } from 'node:events';
import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import { closeOnAbort, ConnectionAgent, openConnection } from './connection.ts';
import { startBrokenReplica } from './testing/proxied-service.ts';

const never = new AbortController().signal;

test('a connection to an https address is encrypted and verified, and closes after one request', async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
  const server = createServer({ key, cert }, (_request, response) => response.end('encrypted'));
  // The server closes no connection itself.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const trusted = getCACertificates('default');
  onTestFinished(() => {
    server.close();
    setDefaultCACertificates(trusted);
  });
  // The server listens on a TCP port, so its address is an AddressInfo.
  const address = new URL(`https://localhost:${(server.address() as AddressInfo).port}/base`);
  await expect(openConnection(address, never)).rejects.toThrow('self-signed certificate');
  setDefaultCACertificates([...trusted, cert]);
  const connection = await openConnection(address, never);
  const request = get({ agent: new ConnectionAgent(connection), headers: { host: 'x' } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const closed = once(connection, 'close');
  expect(await text(response)).toBe('encrypted');
  await closed;
});

test('an address that is not there in time is refused', async () => {
  // The server never answers in TLS.
  const { httpUrl } = await startBrokenReplica();
  const address = new URL(httpUrl);
  address.protocol = 'https:';
  await expect(openConnection(address, never)).rejects.toThrow('The connection was not established in time.');
});

test('the end of its request closes a connection, open or not', async () => {
  const { httpUrl } = await startBrokenReplica();
  const request = new AbortController();
  const connection = await openConnection(new URL(httpUrl), never);
  closeOnAbort(connection, request.signal);
  request.abort();
  expect(connection.destroyed).toBe(true);
  await expect(openConnection(new URL(httpUrl), request.signal)).rejects.toThrow('The request has ended.');
});
