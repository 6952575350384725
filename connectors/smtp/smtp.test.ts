import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { SMTPServer } from 'smtp-server';
import type { SMTPServerOptions } from 'smtp-server';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { ToolOutcome } from '@fairlead/connector-runtime/call';
import {
  testCall,
  testConnector,
  testCredential,
  testMethod,
  testOptions,
  testTool,
} from '@fairlead/connector-runtime/testing/calls';
import { testRuntime } from '@fairlead/connector-runtime/testing/vendor';
import { connectorHandlers } from '../handlers.ts';

const connector = testConnector({ slug: 'smtp', name: 'SMTP' });
const MAIL = { to: ['Ada <ada@a.test>'], subject: 'Grüße', text: 'Hello' };

interface Received {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
}

/** A mail server with one user: `u` with the password `p`. */
async function startMailServer(
  options: SMTPServerOptions = {},
): Promise<{ port: number; received: Received[] }> {
  const received: Received[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) => {
      if (username === 'u' && password === 'p') done(null, { user: 'u' });
      else done(new Error('No such login'));
    },
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith('nobody') ? new Error('No such mailbox') : null),
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        received.push({
          from,
          to: envelope.rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString(),
        });
        done();
      });
    },
    ...options,
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  // The server listens on TCP.
  return { port: (listening.address() as AddressInfo).port, received };
}

const login = (port: number, members: JsonObject = {}): JsonObject => ({
  host: '127.0.0.1',
  port,
  security: 'none',
  user: 'u',
  password: 'p',
  from: 'Bob <bob@b.test>',
  ...members,
});

function send(
  credential: JsonObject,
  fields: JsonObject = MAIL,
  handler = 'sendEmail',
): Promise<ToolOutcome> {
  const call = testCall(testTool({ type: 'handler', handler }, { retryClass: 'unsafe' }), {
    connector,
    method: testMethod({ type: 'custom' }),
    credential: testCredential(credential),
    fields,
  });
  return testRuntime(connectorHandlers).execute(call, testOptions());
}

it('a message arrives with its text, files and hidden recipients', async () => {
  const { port, received } = await startMailServer();
  const attachment = {
    name: 'a.txt',
    contentType: 'text/plain',
    base64: Buffer.from('content').toString('base64'),
  };
  const outcome = await send(login(port), { ...MAIL, html: '<b>Hello</b>', bcc: ['eve@e.test'], attachment });
  expect(outcome).toMatchObject({
    isSuccess: true,
    output: {
      accepted: ['ada@a.test', 'eve@e.test'],
      rejected: [],
      messageId: expect.stringContaining('@b.test') as string,
    },
  });
  expect(received).toMatchObject([{ from: 'bob@b.test', to: ['ada@a.test', 'eve@e.test'] }]);
  const text = received[0]?.text ?? '';
  for (const part of ['From: Bob <bob@b.test>', '<b>Hello</b>', 'filename=a.txt', attachment.base64])
    expect(text).toContain(part);
  expect(text).not.toContain('eve@e.test');
});

it('a line break in an input begins no header', async () => {
  const { port, received } = await startMailServer();
  await send(login(port), { ...MAIL, subject: 'x\r\nBcc: eve@e.test', inReplyTo: '<a@b>\r\nX-Evil: 1' });
  expect(received[0]?.to).toEqual(['ada@a.test']);
  expect(received[0]?.text).not.toMatch(/^(?:Bcc|X-Evil):/m);
});

it('an invitation arrives as one, whatever its texts hold', async () => {
  const { port, received } = await startMailServer();
  const fields = {
    ...MAIL,
    subject: 'Plan; A\nEND:VEVENT',
    start: '2026-12-01T10:00:00+01:00',
    end: '2026-12-01T10:00:00Z',
    location: 'x'.repeat(100),
  };
  expect(await send(login(port), fields, 'sendInvitation')).toMatchObject({ isSuccess: true });
  const text = received[0]?.text ?? '';
  expect(text).toMatch(/content-type: text\/calendar[^\n]*method=REQUEST/i);
  const [, encoded = ''] = /name=invite\.ics[^]*?\r\n\r\n([A-Za-z0-9+/=\r\n]+)/.exec(text) ?? [];
  const lines = Buffer.from(encoded, 'base64').toString().split('\r\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'DTSTART:20261201T090000Z',
      'SUMMARY:Plan\\; A\\nEND:VEVENT',
      'ATTENDEE;RSVP=TRUE:mailto:ada@a.test',
    ]),
  );
  expect(lines.every((line) => line.length <= 75)).toBe(true);
});

it.each<[what: string, credential: JsonObject, fields: JsonObject, text: string]>([
  ['a wrong password', { password: 'x' }, MAIL, 'No such login'],
  ['a recipient that the server refuses', {}, { ...MAIL, to: ['nobody@a.test'] }, 'No such mailbox'],
  ['a server without the TLS that is wanted', { security: 'starttls' }, MAIL, 'not recognized'],
])('%s is a failure in the words of the server', async (_what, credential, fields, text) => {
  const { port, received } = await startMailServer();
  expect(await send(login(port, credential), fields)).toMatchObject({
    isSuccess: false,
    errorMessage: expect.stringContaining(text) as string,
  });
  expect(received).toEqual([]);
});

it('a certificate that nobody vouches for is refused', async () => {
  const { port } = await startMailServer({ disabledCommands: [] });
  expect(await send(login(port, { security: 'starttls' }))).toMatchObject({
    isSuccess: false,
    errorMessage: expect.stringMatching(/certificate/i) as string,
  });
});

it.each<[what: string, answer: (socket: Socket) => void]>([
  ['closes', (socket) => socket.end()],
  ['sends no SMTP', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['closes after its greeting', (socket) => socket.end('220 x ESMTP\r\n')],
  [
    'floods',
    (socket) => {
      const block = Buffer.alloc(65_536, 97);
      const write = (): void => {
        while (!socket.destroyed && socket.write(block));
      };
      socket.on('drain', write);
      write();
    },
  ],
])('a server that %s fails the call', async (_what, answer) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).resume();
    answer(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  expect(await send(login(port))).toMatchObject({ isSuccess: false });
});
