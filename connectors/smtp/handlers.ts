import type { SendMailOptions } from 'nodemailer';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { InputError, parsedMembers } from '@fairlead/connector-runtime/handler';
import type { Handler, HandlerCall } from '@fairlead/connector-runtime/handler';
import { isArray, isObject, textOf } from '@fairlead/connector-runtime/templates';
import { invitation } from './invitation.ts';
import { logIn, sendMail } from './mail-server.ts';

const sendEmail: Handler = async (call) => {
  const fields = parsedMembers(call.fields);
  return { ...(await sendMail(call, messageOf(fields))) };
};

const sendInvitation: Handler = async (call) => {
  const fields = parsedMembers(call.fields);
  requireTimes(fields);
  const content = invitation(fields, organizerOf(call, fields));
  const mail = { ...messageOf(fields), icalEvent: { method: 'REQUEST', filename: 'invite.ics', content } };
  return { ...(await sendMail(call, mail)) };
};

const testConnection: Handler = async (call) => {
  await logIn(call);
  return {};
};

/** The handlers that the manifest of `smtp` names. */
export const handlers: Readonly<Record<string, Handler>> = { sendEmail, sendInvitation, testConnection };

function messageOf(fields: JsonObject): SendMailOptions {
  const text = (name: string): string | undefined => {
    const value = fields[name];
    return typeof value === 'string' ? value : undefined;
  };
  const attachments = ['attachment', 'secondAttachment', 'thirdAttachment'].flatMap((name) =>
    fileOf(fields[name]),
  );
  return {
    to: textsOf(fields['to']),
    cc: textsOf(fields['cc']),
    bcc: textsOf(fields['bcc']),
    subject: text('subject') ?? '',
    ...defined({ from: text('from'), replyTo: text('replyTo'), text: text('text'), html: text('html') }),
    ...defined({ inReplyTo: text('inReplyTo'), references: text('inReplyTo') }),
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}

function defined(members: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}

function textsOf(value: Json | undefined): string[] {
  return value !== undefined && isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** The content of a file, which has replaced its name in the input. */
function fileOf(file: Json | undefined) {
  if (!isObject(file)) return [];
  return [
    {
      filename: textOf(file['name'] ?? 'file'),
      contentType: textOf(file['contentType'] ?? 'application/octet-stream'),
      content: Buffer.from(textOf(file['base64'] ?? ''), 'base64'),
    },
  ];
}

function requireTimes(fields: JsonObject): void {
  const issues = ['start', 'end'].flatMap((name) =>
    Number.isNaN(Date.parse(textOf(fields[name] ?? '')))
      ? [{ field: `fields.${name}`, issue: 'must be a time' }]
      : [],
  );
  if (issues.length > 0) throw new InputError(issues);
}

function organizerOf(call: HandlerCall, fields: JsonObject): string {
  return textOf(fields['from'] ?? call.credential.fields['from'] ?? '');
}
