import { randomUUID } from 'node:crypto';
import type { Json } from '@fairlead/connector-model/json';
import type { BodyEncoding } from '@fairlead/connector-model/model';
import { jsonBytes, parsed } from '@fairlead/service-kit/json/lazy-json';
import type { LazyValue } from '@fairlead/service-kit/json/lazy-json';
import { CallFailure } from '../failure.ts';
import { isArray, isObject, textOf } from '../templates.ts';
import { parametersOf } from './parameters.ts';

/** Largest encoded body, in bytes. Names are repeated in it, so it can be far larger than its inputs. */
const MAX_ENCODED_BYTES = 32 * 1024 * 1024;

/** An encoded body: its content type, and a function that writes its bytes when the request is sent. */
export interface EncodedBody {
  readonly contentType: string;
  /** Throws CallFailure if the body cannot be written in the encoding, or is larger than MAX_ENCODED_BYTES. */
  readonly write: () => string | Uint8Array;
}

/** A file input (`format: file`) as the tools service passes it. */
interface FileContent {
  readonly name: string;
  readonly contentType: string;
  readonly base64: string;
}

/** Encodes a rendered body. */
export function encodedBody(body: LazyValue, encoding: BodyEncoding): EncodedBody {
  switch (encoding.type) {
    case 'json':
      return { contentType: 'application/json', write: () => jsonBytes(body) };
    case 'form':
      return {
        contentType: 'application/x-www-form-urlencoded',
        write: () => formOf(membersOf(parsed(body)), encoding.style),
      };
    case 'multipart': {
      const boundary = `fairlead-${randomUUID()}`;
      return {
        contentType: `multipart/form-data; boundary=${boundary}`,
        write: () => multipartOf(membersOf(parsed(body)), boundary),
      };
    }
    case 'raw': {
      const value = parsed(body);
      const file = fileOf(value);
      return {
        contentType: encoding.contentType ?? file?.contentType ?? 'text/plain;charset=utf-8',
        write: () => (file === undefined ? textOf(value) : Buffer.from(file.base64, 'base64')),
      };
    }
  }
}

type FormStyle = Extract<BodyEncoding, { readonly type: 'form' }>['style'];

function formOf(members: readonly (readonly [string, Json])[], style: FormStyle): string {
  const form = new URLSearchParams();
  let bytes = 0;
  for (const [member, value] of members) {
    for (const [name, text] of parametersOf(member, value, style)) {
      bytes = added(bytes, name.length + text.length + 2);
      form.append(name, text);
    }
  }
  return form.toString();
}

function multipartOf(members: readonly (readonly [string, Json])[], boundary: string): Uint8Array {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const write = (chunk: string | Uint8Array): void => {
    bytes = added(bytes, chunk.length);
    chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  };
  for (const [name, value] of members) {
    for (const item of isArray(value) ? value : [value]) {
      const file = fileOf(item);
      write(`--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"`);
      if (file === undefined) write(`\r\n\r\n${textOf(item)}\r\n`);
      else {
        const type = /^[\u0021-\u007e]+$/.test(file.contentType)
          ? file.contentType
          : 'application/octet-stream';
        write(`; filename="${quoted(file.name)}"\r\ncontent-type: ${type}\r\n\r\n`);
        write(Buffer.from(file.base64, 'base64'));
        write('\r\n');
      }
    }
  }
  write(`--${boundary}--\r\n`);
  return Buffer.concat(chunks);
}

/** A quoted parameter of a part's header, escaped as browsers do. */
function quoted(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/["\r\n]/g, (character) => (character === '"' ? '%22' : character === '\r' ? '%0D' : '%0A'));
}

function added(bytes: number, more: number): number {
  if (bytes + more > MAX_ENCODED_BYTES) throw new CallFailure('The body of the request is too large.');
  return bytes + more;
}

function membersOf(body: Json): readonly (readonly [string, Json])[] {
  if (!isObject(body)) throw new CallFailure('The body of this request must be an object.');
  return Object.entries(body);
}

function fileOf(value: Json): FileContent | undefined {
  if (!isObject(value)) return undefined;
  const { name, contentType, base64 } = value;
  return typeof name === 'string' && typeof contentType === 'string' && typeof base64 === 'string'
    ? { name, contentType, base64 }
    : undefined;
}
