import { randomUUID } from 'node:crypto';
import { createTransport } from 'nodemailer';
import type { SendMailOptions } from 'nodemailer';
import type { JsonObject } from '@fairlead/connector-model/json';
import { HandlerError, parsedMembers } from '@fairlead/connector-runtime/handler';
import type { Handler, HandlerCall } from '@fairlead/connector-runtime/handler';
import { authorize } from '@fairlead/connector-runtime/http/authorization';
import { requireSuccess } from '@fairlead/connector-runtime/http/response';
import { parseVendorJson } from '@fairlead/connector-runtime/json-limits';
import { isArray, isObject } from '@fairlead/connector-runtime/templates';
import { messageOf } from '../smtp/message.ts';

/** Headers of the answered message that a reply needs. */
const REPLY_HEADERS = ['Message-ID', 'References', 'Subject'] as const;

/** Sends a message; a reply belongs to the conversation of the answered message. */
const sendMessage: Handler = async (call) => {
  const { mail, threadId } = await composed(call);
  return upload(call, '/messages/send', { ...(threadId !== undefined && { threadId }) }, mail);
};

/** Creates a draft of a message. */
const createDraft: Handler = async (call) => {
  const { mail, threadId } = await composed(call);
  const message = { ...(threadId !== undefined && { threadId }) };
  return upload(call, '/drafts', { message }, mail);
};

/** Returns the content of an attachment as the body of a response. */
const getAttachment: Handler = async (call) => {
  const { messageId, attachmentId, contentType = 'application/octet-stream' } = call.fields;
  const path = `/messages/${inPath(messageId)}/attachments/${inPath(attachmentId)}`;
  const { data } = await request(call, 'GET', `/gmail/v1/users/me${path}`);
  if (typeof data !== 'string') throw new HandlerError(`${call.connector.name} sent no contents.`);
  const base64 = Buffer.from(data, 'base64url').toString('base64');
  return { status: 200, headers: { 'content-type': textInput(contentType) }, body: { base64 } };
};

/** The handlers that the manifest of `gmail` names. */
export const handlers: Readonly<Record<string, Handler>> = { sendMessage, createDraft, getAttachment };

/** The message as it is sent (RFC 5322), and the id of its conversation. */
async function composed(
  call: HandlerCall,
): Promise<{ readonly mail: Buffer; readonly threadId: string | undefined }> {
  const fields = parsedMembers(call.fields);
  const answered = fields['replyToMessageId'];
  const reply = typeof answered === 'string' ? await replyTo(call, answered) : undefined;
  const message = messageOf(fields);
  const subject = message.subject === '' ? reply?.subject : message.subject;
  const mail = await written({
    ...message,
    ...(subject !== undefined && { subject }),
    ...(reply !== undefined && { inReplyTo: reply.messageId, references: reply.references }),
  });
  return { mail, threadId: reply?.threadId };
}

async function written(message: SendMailOptions): Promise<Buffer> {
  const transport = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
    // A message may contain only values of the call.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const sent = await transport.sendMail(message);
  if (!Buffer.isBuffer(sent.message)) throw new TypeError('The message is a stream.');
  return sent.message;
}

/** The values that a reply takes from the answered message. */
async function replyTo(
  call: HandlerCall,
  id: string,
): Promise<{ threadId: string; messageId: string; references: string; subject: string }> {
  const query = new URLSearchParams({ format: 'metadata' });
  for (const name of REPLY_HEADERS) query.append('metadataHeaders', name);
  const { threadId, payload } = await request(
    call,
    'GET',
    `/gmail/v1/users/me/messages/${inPath(id)}?${query.toString()}`,
  );
  const headers = isObject(payload) ? payload['headers'] : undefined;
  const listed = headers !== undefined && isArray(headers) ? headers.filter(isObject) : [];
  const valueOf = (name: (typeof REPLY_HEADERS)[number]): string =>
    textInput(listed.find((each) => textInput(each['name']).toLowerCase() === name.toLowerCase())?.['value']);
  const messageId = valueOf('Message-ID');
  const subject = valueOf('Subject');
  return {
    threadId: textInput(threadId),
    messageId,
    references: `${valueOf('References')} ${messageId}`.trim(),
    subject: /^re:/i.test(subject) ? subject : `Re: ${subject}`,
  };
}

/** Uploads a message and its properties in one request. */
async function upload(
  call: HandlerCall,
  path: string,
  properties: JsonObject,
  mail: Buffer,
): Promise<JsonObject> {
  const boundary = randomUUID();
  const body = Buffer.concat([
    Buffer.from(
      `--${boundary}\r\ncontent-type: application/json; charset=UTF-8\r\n\r\n${JSON.stringify(properties)}\r\n` +
        `--${boundary}\r\ncontent-type: message/rfc822\r\n\r\n`,
    ),
    mail,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  await call.beforeSend?.(false);
  return request(call, 'POST', `/upload/gmail/v1/users/me${path}?uploadType=multipart`, {
    body,
    contentType: `multipart/related; boundary=${boundary}`,
  });
}

async function request(
  call: HandlerCall,
  method: string,
  path: string,
  content?: { readonly body: Buffer; readonly contentType: string },
): Promise<JsonObject> {
  const { connector, credential } = call;
  const accept = { accept: 'application/json' };
  const signed = authorize(call.method.scheme, credential, {
    url: new URL(path, connector.baseUrl ?? undefined),
    headers: content === undefined ? accept : { ...accept, 'content-type': content.contentType },
  });
  const response = await call.egress.request({
    method,
    url: signed.url.href,
    headers: { ...signed.headers },
    ...(content !== undefined && { body: content.body }),
    redirect: 'manual',
    signal: call.signal,
    destination: call.accountId,
  });
  requireSuccess(connector, response);
  const bytes = Buffer.from(response.body);
  const parsed = parseVendorJson(bytes.toString(), 'The response', bytes);
  return isObject(parsed) ? parsed : {};
}

function inPath(value: unknown): string {
  return encodeURIComponent(typeof value === 'string' ? value : '');
}

function textInput(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
