import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { KeyManagementService } from '@fairlead/contracts/kubernetes/kms/v2/kms_pb';
import * as grpc from '@grpc/grpc-js';
import { decrypt, encrypt, randomKey } from '../cipher.ts';

/** A KMS v2 plugin, served by grpc-js on a Unix socket, with keys of its own. */
export interface KmsPlugin {
  readonly socketPath: string;
  /** The current key, as its status reports it. */
  keyId(): string;
  /** Creates a new key that encrypts from now on; the others still decrypt. */
  rotate(): void;
  /** Stops serving, like a plugin that is restarted; `start` serves again with the same keys. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a plugin on a socket in a new folder. */
export async function startKmsPlugin(): Promise<KmsPlugin> {
  const folder = await mkdtemp(join(tmpdir(), 'kms-'));
  const socketPath = join(folder, 'kms.sock');
  const keys = new Map<string, Buffer>();
  const rotate = (): void => void keys.set(`key-${keys.size + 1}`, randomKey());
  const keyId = (): string => `key-${keys.size}`;
  const methods = KeyManagementService.method;
  let server: grpc.Server;

  async function start(): Promise<void> {
    server = new grpc.Server();
    serve(server, methods.status, () => ({ version: 'v2', healthz: 'ok', keyId: keyId() }));
    serve(server, methods.encrypt, ({ plaintext }) => {
      const ciphertext = encrypt(keys.get(keyId()) ?? randomKey(), [], plaintext);
      return { ciphertext, keyId: keyId(), annotations: { 'of.plugin': Buffer.from('kept') } };
    });
    serve(server, methods.decrypt, ({ ciphertext, keyId: id, annotations }) => {
      const key = keys.get(id);
      const isComplete = Buffer.from(annotations['of.plugin'] ?? []).toString() === 'kept';
      const plaintext = key && isComplete ? decrypt(key, [], ciphertext) : undefined;
      return plaintext && { plaintext };
    });
    await new Promise<void>((resolve, reject) => {
      const credentials = grpc.ServerCredentials.createInsecure();
      server.bindAsync(`unix:${socketPath}`, credentials, (error) =>
        error === null ? resolve() : reject(error),
      );
    });
  }

  const stop = async (): Promise<void> => server.forceShutdown();
  rotate();
  await start();
  return {
    socketPath,
    keyId,
    rotate,
    stop,
    start,
    async close() {
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}

interface UnaryMethod<I extends DescMessage, O extends DescMessage> {
  readonly name: string;
  readonly input: I;
  readonly output: O;
}

/** Serves one method; `answer` returns undefined to refuse a request. */
function serve<I extends DescMessage, O extends DescMessage>(
  server: grpc.Server,
  { name, input, output }: UnaryMethod<I, O>,
  answer: (request: MessageShape<I>) => MessageInitShape<O> | undefined,
): void {
  const definition = {
    path: `/${KeyManagementService.typeName}/${name}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: (message: MessageShape<I>) => Buffer.from(toBinary(input, message)),
    requestDeserialize: (bytes: Buffer) => fromBinary(input, bytes),
    responseSerialize: (message: MessageShape<O>) => Buffer.from(toBinary(output, message)),
    responseDeserialize: (bytes: Buffer) => fromBinary(output, bytes),
  } as const;
  const handle: grpc.handleUnaryCall<MessageShape<I>, MessageShape<O>> = ({ request }, callback) => {
    const answered = answer(request);
    if (answered === undefined) callback({ code: grpc.status.INVALID_ARGUMENT, details: 'refused' });
    else callback(null, create(output, answered));
  };
  server.addService({ [name]: definition }, { [name]: handle });
}
