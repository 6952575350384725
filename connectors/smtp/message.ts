import type { SendMailOptions } from 'nodemailer';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { isArray, isObject, textOf } from '@fairlead/connector-runtime/templates';

/** Builds the message from the inputs. */
export function messageOf(fields: JsonObject): SendMailOptions {
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

/** The content of a file input, which has replaced the file's name. */
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
