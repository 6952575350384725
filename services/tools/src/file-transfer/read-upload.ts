import type { IncomingMessage } from 'node:http';
import { Busboy } from '@fastify/busboy';
import type { BusboyFileStream, BusboyHeaders } from '@fastify/busboy';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import { fileLabel, MAX_FILE_BYTES } from '../domain/file.ts';
import type { FileLabel } from '../domain/file.ts';

/** An upload in progress: the sender's metadata, and its content. */
interface Arriving {
  readonly label: FileLabel;
  readonly content: AsyncIterable<Uint8Array>;
}

/** Limits of the non-file parts of a form. */
const FORM_LIMITS = {
  fields: 20,
  fieldSize: 64 * 1024,
  fieldNameSize: 200,
  files: 2,
  parts: 22,
  headerPairs: 50,
  headerSize: 16 * 1024,
};
/** A form may exceed the file limit by the size of its fields. */
const MAX_FORM_BYTES = MAX_FILE_BYTES + FORM_LIMITS.fields * FORM_LIMITS.fieldSize;

/**
 * Passes the single file of a request to `receive` while it arrives: part `file` of a multipart form, or else the body. `name` overrides
 * the sender's file name. MALFORMED_BODY for an empty body or a broken form, UNSUPPORTED_MEDIA_TYPE for a body without a type or with an
 * encoding, PAYLOAD_TOO_LARGE above 50 MiB, VALIDATION_ERROR unless a form has exactly one part `file`.
 */
export async function readUpload<R>(
  request: IncomingMessage,
  name: string | undefined,
  receive: (arriving: Arriving) => Promise<R>,
): Promise<R> {
  const { headers } = request;
  const length = headers['content-length'];
  const isEmpty = length === undefined ? headers['transfer-encoding'] === undefined : length === '0';
  if (isEmpty) throw new ApiError('MALFORMED_BODY', 'The request needs a file as its body.');
  const contentType = headers['content-type'] ?? '';
  if (contentType === '' || (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new ApiError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body must be sent with a Content-Type and without a Content-Encoding.',
    );
  }
  const isForm = /^multipart\/form-data(?:\s*;|$)/i.test(contentType);
  if (Number(length) > (isForm ? MAX_FORM_BYTES : MAX_FILE_BYTES)) throw tooLarge();
  if (isForm) return readForm(request, contentType, name, receive);
  const label = fileLabel(name ?? nameIn(headers['content-disposition']), contentType);
  return receive({ label, content: request });
}

async function readForm<R>(
  request: IncomingMessage,
  contentType: string,
  name: string | undefined,
  receive: (arriving: Arriving) => Promise<R>,
): Promise<R> {
  const form = openForm({ ...request.headers, 'content-type': contentType });
  const received = Promise.withResolvers<R>();
  let files = 0;
  const fail = (error: unknown): void => {
    received.reject(error);
    request.unpipe(form);
    form.destroy();
  };
  form.on('file', (field, stream, fileName, _encoding, mimeType) => {
    // A broken form emits its own error.
    stream.on('error', () => undefined);
    if (field !== 'file') {
      stream.resume();
      return;
    }
    files += 1;
    if (files > 1) {
      stream.resume();
      fail(validationError({ field: 'file', issue: 'must be sent once only' }));
      return;
    }
    receive({ label: fileLabel(name ?? fileName, mimeType), content: whole(stream) }).then(
      received.resolve,
      fail,
    );
  });
  form.on('finish', () => {
    if (files === 0) fail(validationError({ field: 'file', issue: 'is required' }));
  });
  form.on('error', (cause: unknown) => {
    fail(new ApiError('MALFORMED_BODY', 'The body is not a complete multipart form.', { cause }));
  });
  request.on('error', fail);
  request.pipe(form);
  return await received.promise;
}

/** The content of a part; MALFORMED_BODY if the form ends within it, PAYLOAD_TOO_LARGE if it was cut. */
async function* whole(stream: BusboyFileStream): AsyncGenerator<Uint8Array> {
  // A stream of bytes yields buffers.
  for await (const piece of stream) yield piece as Buffer;
  if (stream.truncated) throw tooLarge();
}

function openForm(headers: BusboyHeaders): Busboy {
  try {
    return new Busboy({
      headers,
      limits: { ...FORM_LIMITS, fileSize: MAX_FILE_BYTES },
      defCharset: 'utf8',
    });
  } catch (cause) {
    throw new ApiError('MALFORMED_BODY', 'The multipart form has no boundary.', { cause });
  }
}

/** The file name in a Content-Disposition header: RFC 6266 with RFC 8187. */
function nameIn(disposition: string | undefined): string | undefined {
  const encoded = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition ?? '')?.[1];
  if (encoded !== undefined && URL.canParse(`x:${encoded}`)) {
    try {
      return decodeURIComponent(encoded);
    } catch {
      // Invalid encoding: the plain name is used.
    }
  }
  const [, quoted, plain] =
    /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition ?? '') ?? [];
  return quoted?.replaceAll(/\\(.)/g, '$1') ?? plain;
}

function tooLarge(): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `A file must be at most ${MAX_FILE_BYTES / 1024 ** 2} MiB.`);
}
