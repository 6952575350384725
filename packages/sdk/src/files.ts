import { Files } from './gen/resources.ts';
import type { StoredFile } from './gen/types.ts';
import { segment } from './transport.ts';
import type { Content, RequestOptions, Transport } from './transport.ts';

/** The facts about a file that an upload states besides its content. */
export interface UploadFileParams {
  /** 1 to 255 characters. Default: that of a `File`, otherwise the API's. */
  readonly name?: string | undefined;
  /** The file's media type. Default: that of a `Blob`, otherwise `application/octet-stream`. */
  readonly contentType?: string | undefined;
}

/** A file with its content, as it arrives. */
export interface FileDownload {
  readonly file: StoredFile;
  /** Errors if the content ends early. Cancel the stream if you do not read it to its end. */
  readonly content: ReadableStream<Uint8Array>;
}

/** The files of the API, with their content, which is not held in memory either way. */
export class FileTransfers extends Files {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  /**
   * Upload a file.
   *
   * Stores a file of at most 50 MiB for seven days. `fs.openAsBlob` of Node opens a file without reading it. A stream is sent
   * once, without repeats, and cancelled if the upload fails. `timeoutMs` includes the transfer.
   *
   * `POST /v1/files`
   */
  async upload(
    content: Content,
    params: UploadFileParams = {},
    options: RequestOptions = {},
  ): Promise<StoredFile> {
    const { name = nameOf(content), contentType = typeOf(content) } = params;
    const send = (body: Content): Promise<StoredFile> =>
      this.#transport.call(
        {
          method: 'POST',
          path: '/v1/files',
          query: ['name'],
          params: { name },
          content: [body, contentType],
        },
        options,
      );
    if (!(content instanceof ReadableStream)) return await send(content);
    const reader = content.getReader();
    try {
      return await send(streamOf(reader));
    } catch (error) {
      // fetch does not cancel a stream that it has begun to read.
      await reader.cancel(error).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Download a file.
   *
   * `timeoutMs` only limits the wait for the content's beginning, `signal` ends the transfer.
   *
   * `GET /v1/files/{fileId}/content`
   */
  async download(fileId: string, options: RequestOptions = {}): Promise<FileDownload> {
    const file = await this.get(fileId, options);
    // The address is this client's own, which may differ from the one that the API considers its public address.
    const token = new URL(file.url).searchParams.get('token');
    const content = await this.#transport.stream(
      {
        method: 'GET',
        path: `/v1/files/${segment(fileId)}/content`,
        query: ['token'],
        params: { token: token ?? undefined },
      },
      { ...options, headers: { accept: '*/*', ...options.headers } },
    );
    return { file, content };
  }
}

/** A stream of the chunks that the reader returns. */
function streamOf(reader: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function nameOf(content: Content): string | undefined {
  return 'name' in content && typeof content.name === 'string' ? content.name : undefined;
}

function typeOf(content: Content): string {
  const type = content instanceof Blob ? content.type : '';
  return type === '' ? 'application/octet-stream' : type;
}
