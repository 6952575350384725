import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { Http2SessionManager, createGrpcTransport } from '@connectrpc/connect-node';
import { EncryptResponseSchema, KeyManagementService } from '@fairlead/contracts/kubernetes/kms/v2/kms_pb';
import type { EncryptResponse } from '@fairlead/contracts/kubernetes/kms/v2/kms_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { guid } from '@fairlead/service-kit/ids';
import { repeatInBackground } from '@fairlead/service-kit/lifecycle/background';
import { Secret } from '@fairlead/service-kit/secret';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { KeyEncryption } from './key-encryption.ts';

/** The names of its keys begin with this; those of a key ring hold no colon. */
export const KMS_PREFIX = 'kms:';
/** The same interval as Kubernetes uses. */
const STATUS_EVERY_MS = 60_000;
const TIMEOUT_MS = 3_000;
const DIGEST_BYTES = 32;

/**
 * Wraps with the key of a key management service, through a plugin of the Kubernetes KMS v2 protocol on a Unix socket.
 * The key is rotated there: `current` follows within a minute. Plugins take no associated data, so the digest of the
 * binding is encrypted with each key and compared after decryption. Rejects with UNAVAILABLE while the plugin does not
 * answer, at the start too.
 */
export async function openKmsKeyEncryption(o: {
  readonly socketPath: string;
  readonly log: Logger;
  readonly statusEveryMs?: number;
}): Promise<KeyEncryption & { close(): Promise<void> }> {
  // The host name is sent only because the protocol requires one.
  const baseUrl = 'http://localhost';
  const session = new Http2SessionManager(baseUrl, undefined, {
    createConnection: () => connect(o.socketPath),
  });
  const transport = createGrpcTransport({ baseUrl, sessionManager: session, acceptCompression: [] });
  const plugin = createClient(KeyManagementService, transport);
  const options = { timeoutMs: TIMEOUT_MS };

  async function readStatus(): Promise<string> {
    const { version, healthz, keyId } = await orKmsError(plugin.status({}, options));
    if (version.startsWith('v2') && healthz === 'ok' && keyId !== '') return `${KMS_PREFIX}${keyId}`;
    throw new ApiError('UNAVAILABLE', `The key management service is not ready: ${version} ${healthz}`);
  }

  let current: string;
  try {
    current = await readStatus();
  } catch (error) {
    session.abort();
    throw error;
  }
  const status = repeatInBackground({
    name: 'status of the key management service',
    everyMs: o.statusEveryMs ?? STATUS_EVERY_MS,
    log: o.log,
    async work() {
      current = await readStatus();
    },
  });

  return {
    current: () => current,
    async wrap(binding, key) {
      const plaintext = Buffer.concat([digestOf(binding), key.reveal()]);
      const response = await orKmsError(plugin.encrypt({ plaintext, uid: guid() }, options));
      const wrapped = toBinary(EncryptResponseSchema, create(EncryptResponseSchema, response));
      return {
        wrappedWith: `${KMS_PREFIX}${response.keyId}`,
        wrapped: Buffer.from(wrapped).toString('base64url'),
      };
    },
    async unwrap(binding, { wrapped }) {
      const { ciphertext, keyId, annotations } = readWrapped(wrapped);
      const request = { ciphertext, keyId, annotations, uid: guid() };
      const plaintext = Buffer.from((await orKmsError(plugin.decrypt(request, options))).plaintext);
      if (!plaintext.subarray(0, DIGEST_BYTES).equals(digestOf(binding)))
        throw new Error('A data key was wrapped for another place.');
      return new Secret(plaintext.subarray(DIGEST_BYTES));
    },
    async close() {
      await status.close();
      session.abort();
    },
  };
}

/** Codes of gRPC with which a plugin says that a request is wrong; after any other, the same request may succeed later. */
const REFUSALS: ReadonlySet<Code> = new Set([
  Code.InvalidArgument,
  Code.NotFound,
  Code.FailedPrecondition,
  Code.PermissionDenied,
  Code.Unauthenticated,
  Code.Unimplemented,
  Code.DataLoss,
]);

async function orKmsError<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const { code } = ConnectError.from(error);
    if (REFUSALS.has(code))
      throw new Error('The key management service refused a data key.', { cause: error });
    throw new ApiError('UNAVAILABLE', 'The key management service does not answer.', { cause: error });
  }
}

function readWrapped(wrapped: string): EncryptResponse {
  try {
    return fromBinary(EncryptResponseSchema, Buffer.from(wrapped, 'base64url'));
  } catch (error) {
    throw new Error('A wrapped data key was changed.', { cause: error });
  }
}

function digestOf(binding: readonly string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(binding)).digest();
}
