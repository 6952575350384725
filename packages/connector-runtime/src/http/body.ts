import type { Json } from '@fairlead/connector-model/model';

/** A body in an answer: its bytes, and the media type the vendor says it has. */
interface ReceivedBody {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * A received body as JSON: JSON as it is, other UTF-8 text as a string, none as null, other bytes as `{base64}`.
 */
export function decodeBody(answer: ReceivedBody): Json {
  if (answer.body.byteLength === 0) return null;
  const text = utf8(answer.body);
  if (text === undefined) return { base64: Buffer.from(answer.body).toString('base64') };
  if (!mayBeJson(answer.headers['content-type'])) return text;
  const parsed = parseJson(text);
  return parsed === undefined ? text : parsed;
}

/** Vendors that send JSON often call it text, or nothing; hardly any calls another format JSON. */
function mayBeJson(contentType: string | undefined): boolean {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return (
    mediaType === '' || mediaType === 'text/plain' || mediaType === 'text/json' || /[/+]json$/.test(mediaType)
  );
}

/** Undefined where the text is no JSON; the JSON `null` reads as null. */
function parseJson(text: string): Json | undefined {
  try {
    // JSON.parse answers JSON.
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
