import type { JsonObject } from '@fairlead/connector-model/json';
import { InputError, parsedMembers } from '@fairlead/connector-runtime/handler';
import type { Handler, HandlerCall } from '@fairlead/connector-runtime/handler';
import { textOf } from '@fairlead/connector-runtime/templates';
import { invitation } from './invitation.ts';
import { logIn, sendMail } from './mail-server.ts';
import { messageOf } from './message.ts';

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
