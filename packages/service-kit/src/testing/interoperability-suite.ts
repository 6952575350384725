import type { DescMethodUnary, DescService, MessageInitShape, DescMessage } from '@bufbuild/protobuf';
import { findTrailerError } from '@connectrpc/connect/protocol-grpc';
import { ErrorDetailSchema } from '@fairlead/contracts/common/v1/error_pb';
import {
  HealthCheckRequestSchema,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as Status,
} from '@fairlead/contracts/grpc/health/v1/health_pb';
import { ERROR_CATALOGUE } from '@fairlead/errors/catalogue';
import type { ErrorCode } from '@fairlead/errors/catalogue';
import * as grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CALLER_HEADER, signCaller } from '../context/caller-token.ts';
import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';
import type { KeyRing } from '../key-ring.ts';
import { grpcReflect, grpcUnary } from './grpc-client.ts';
import { testCaller } from './rpc.ts';

/** A call that a suite makes. */
interface Call<I extends DescMessage, O extends DescMessage> {
  readonly method: DescMethodUnary<I, O>;
  readonly request: MessageInitShape<I>;
}

/** Proves that another client implementation (grpc-js) can call a service. */
export function interoperabilitySuite<
  I1 extends DescMessage,
  O1 extends DescMessage,
  I2 extends DescMessage,
  O2 extends DescMessage,
>(o: {
  /** The name of the service. */
  readonly name: string;
  readonly server: () => { readonly grpcUrl: string; readonly callerKeys: KeyRing; readonly clock?: Clock };
  readonly services: readonly DescService[];
  readonly answered: Call<I1, O1>;
  readonly refused: Call<I2, O2> & { readonly code: ErrorCode };
}): void {
  let client: grpc.Client;
  beforeAll(() => {
    client = new grpc.Client(new URL(o.server().grpcUrl).host, grpc.credentials.createInsecure());
  });
  afterAll(() => client.close());

  const caller = (): Record<string, string> => {
    const { callerKeys: keys, clock = systemClock } = o.server();
    return { [CALLER_HEADER]: signCaller(testCaller, { audience: o.name, keys }, clock.now()) };
  };

  function call<I extends DescMessage, O extends DescMessage>(
    { method, request: message }: Call<I, O>,
    metadata: Record<string, string>,
  ): Promise<unknown> {
    const path = `/${method.parent.typeName}/${method.name}`;
    return grpcUnary(client, { path, input: method.input, output: method.output, message, metadata });
  }

  it('a unary call with a caller context is answered', async () => {
    expect(await call(o.answered, caller())).toMatchObject({ $typeName: o.answered.method.output.typeName });
  });

  it('the same call without one is refused', async () => {
    await expect(call(o.answered, {})).rejects.toMatchObject({ code: grpc.status.UNAUTHENTICATED });
  });

  it('an error arrives as its gRPC status, with the ErrorDetail in grpc-status-details-bin', async () => {
    const error: unknown = await call(o.refused, caller()).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: ERROR_CATALOGUE[o.refused.code].grpc });
    // The error was just checked to be a ServiceError.
    const { code, metadata } = error as grpc.ServiceError;
    const [details] = metadata.get('grpc-status-details-bin');
    const trailer = new Headers({
      'grpc-status': String(code),
      'grpc-status-details-bin': Buffer.from(details ?? '').toString('base64'),
    });
    const [detail] = findTrailerError(trailer)?.findDetails(ErrorDetailSchema) ?? [];
    expect(detail).toMatchObject({ code: o.refused.code });
  });

  it('health says SERVING, of the whole and of each service', async () => {
    for (const service of ['', ...o.services.map(({ typeName }) => typeName)]) {
      const answer = await grpcUnary(client, {
        path: '/grpc.health.v1.Health/Check',
        input: HealthCheckRequestSchema,
        output: HealthCheckResponseSchema,
        message: { service },
      });
      expect(answer.status).toBe(Status.SERVING);
    }
  });

  it.each(['v1', 'v1alpha'] as const)(
    'reflection %s names the services and gives their files',
    async (version) => {
      const { messageResponse: list } = await grpcReflect(client, version, {
        case: 'listServices',
        value: '*',
      });
      const names = list.case === 'listServicesResponse' ? list.value.service.map(({ name }) => name) : [];
      expect(names).toEqual(expect.arrayContaining(o.services.map(({ typeName }) => typeName)));
      for (const { typeName } of o.services) {
        const { messageResponse: file } = await grpcReflect(client, version, {
          case: 'fileContainingSymbol',
          value: typeName,
        });
        expect(file.case).toBe('fileDescriptorResponse');
      }
    },
  );
}
