import { expect, it } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { ToolOutcome } from '@fairlead/connector-runtime/call';
import {
  testCall,
  testCredential,
  testMethod,
  testOptions,
  testTool,
} from '@fairlead/connector-runtime/testing/calls';
import type { ReceivedRequest } from '@fairlead/connector-runtime/testing/http-server';
import { testRuntime, testVendor } from '@fairlead/connector-runtime/testing/vendor';
import { connectorHandlers } from '../handlers.ts';

const MAILBOX = '/gmail/v1/users/me';
const HEADERS = [
  { name: 'Message-Id', value: '<2@b.test>' },
  { name: 'References', value: '<1@b.test>' },
  { name: 'Subject', value: 'Plan' },
];

/** Calls a handler with a mailbox that contains message m1, which has an attachment. */
async function call(
  handler: string,
  fields: JsonObject,
): Promise<{ outcome: ToolOutcome; requests: readonly ReceivedRequest[] }> {
  const { server, connector } = await testVendor(({ path, method }) => {
    if (method === 'POST') return { body: { id: 'm2', threadId: 't1' } };
    if (path === `${MAILBOX}/messages/m1`) return { body: { threadId: 't1', payload: { headers: HEADERS } } };
    if (path === `${MAILBOX}/messages/m1/attachments/a1`) return { body: { size: 3, data: '_-8B' } };
    return { status: 404, body: { error: { message: 'Not Found' } } };
  });
  const outcome = await testRuntime(connectorHandlers).execute(
    testCall(testTool({ type: 'handler', handler }, { retryClass: 'unsafe' }), {
      connector: {
        ...connector,
        slug: 'gmail',
        baseUrl: `${server.url}/`,
        errorMessagePointers: ['/error/message'],
      },
      method: testMethod({ type: 'bearer', token: '{{field.token}}' }),
      credential: testCredential({ token: 'tok-1' }),
      fields,
    }),
    testOptions(),
  );
  return { outcome, requests: server.requests };
}

it('a message is sent with its files and hidden copies in one upload', async () => {
  const attachment = { name: 'a.pdf', contentType: 'application/pdf', base64: 'AQID' };
  const mail = { to: ['ada@a.test'], bcc: ['eve@e.test'], subject: 'Grüße', text: 'Hello', attachment };
  const { outcome, requests } = await call('sendMessage', mail);
  expect(outcome).toMatchObject({ output: { id: 'm2', threadId: 't1' } });
  expect(requests).toMatchObject([
    {
      method: 'POST',
      path: `/upload${MAILBOX}/messages/send`,
      headers: { authorization: 'Bearer tok-1' },
    },
  ]);
  const { body = '', headers } = requests[0] ?? {};
  const [, boundary = 'none'] = /boundary=(\S+)/.exec(headers?.['content-type'] ?? '') ?? [];
  const [, properties = '', message = ''] = body.split(`--${boundary}`);
  expect(properties).toMatch(/application\/json[^]*\r\n\r\n\{\}\r\n$/);
  expect(message).toMatch(/^\r\ncontent-type: message\/rfc822\r\n\r\n/);
  for (const part of [
    /^To: ada@a\.test\r$/m,
    /^Bcc: eve@e\.test\r$/m,
    /^Subject: =\?UTF-8\?/m,
    /^Content-Type: application\/pdf; name=a\.pdf/m,
    /^AQID\r$/m,
    /Hello/,
  ])
    expect(message).toMatch(part);
});

it('a reply, or its draft, is a part of the conversation', async () => {
  for (const [handler, path, properties] of [
    ['sendMessage', 'messages/send', '{"threadId":"t1"}'],
    ['createDraft', 'drafts', '{"message":{"threadId":"t1"}}'],
  ] as const) {
    const { requests } = await call(handler, { to: ['b@b.test'], text: 'Yes', replyToMessageId: 'm1' });
    expect(requests.map((sent) => sent.path)).toEqual([
      `${MAILBOX}/messages/m1`,
      `/upload${MAILBOX}/${path}`,
    ]);
    const { body = '' } = requests[1] ?? {};
    expect(body).toContain(properties);
    expect(body).toMatch(/^In-Reply-To: <2@b\.test>\r$/m);
    expect(body).toMatch(/^References: <1@b\.test> <2@b\.test>\r$/m);
    expect(body).toMatch(/^Subject: Re: Plan\r$/m);
  }
});

it('an attachment is the body of a response; an unknown one is a refusal', async () => {
  const { outcome } = await call('getAttachment', {
    messageId: 'm1',
    attachmentId: 'a1',
    contentType: 'application/pdf',
  });
  expect(outcome).toMatchObject({
    output: { headers: { 'content-type': 'application/pdf' }, body: { base64: '/+8B' } },
  });
  const missing = await call('getAttachment', { messageId: 'm1', attachmentId: '../x' });
  expect(missing.outcome).toMatchObject({
    isSuccess: false,
    errorMessage: expect.stringContaining('Not Found') as string,
  });
  expect(missing.requests[0]?.path).toBe(`${MAILBOX}/messages/m1/attachments/..%2Fx`);
});
