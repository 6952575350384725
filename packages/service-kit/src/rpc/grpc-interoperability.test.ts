import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, StringValueSchema } from '@bufbuild/protobuf/wkt';
import { Code } from '@connectrpc/connect';
import {
  HealthCheckRequestSchema,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as Status,
} from '@fairlead/contracts/grpc/health/v1/health_pb';
import { ApiError } from '@fairlead/errors/api-error';
import * as grpc from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import { requestContext } from './request.ts';
import type { RpcServer } from './server.ts';
import { grpcReflect, grpcUnary } from '../testing/grpc-client.ts';
import { signedCaller, startEchoServer } from '../testing/rpc.ts';

const servers: RpcServer[] = [];

async function start(...args: Parameters<typeof startEchoServer>): Promise<RpcServer> {
  const server = await startEchoServer(...args);
  servers.push(server);
  return server;
}

const clients: grpc.Client[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

function grpcClient(server: RpcServer): grpc.Client {
  const client = new grpc.Client(new URL(server.grpcUrl).host, grpc.credentials.createInsecure());
  clients.push(client);
  return client;
}

describe('with a grpc-js client', () => {
  it('a unary call works with a caller context', async () => {
    const server = await start(({ value }, h) => ({ value: `${value} ${requestContext(h).caller.kind}` }));
    const answer = await grpcUnary(grpcClient(server), {
      path: '/fairlead.testing.v1.EchoService/Say',
      input: StringValueSchema,
      output: StringValueSchema,
      message: { value: 'hello' },
      metadata: signedCaller(),
    });
    expect(answer.value).toBe('hello user');
  });

  it('an ApiError arrives as its gRPC status', async () => {
    const server = await start(() => {
      throw new ApiError('NO_DEFAULT_CONNECTION', 'Choose one.');
    });
    const call = grpcUnary(grpcClient(server), {
      path: '/fairlead.testing.v1.EchoService/Say',
      input: StringValueSchema,
      output: StringValueSchema,
      message: {},
      metadata: signedCaller(),
    });
    await expect(call).rejects.toMatchObject({
      code: grpc.status.FAILED_PRECONDITION,
      details: 'Choose one.',
    });
  });

  it('health needs no caller context and follows setServing', async () => {
    const server = await start(() => ({}));
    const client = grpcClient(server);
    const check = (service: string) =>
      grpcUnary(client, {
        path: '/grpc.health.v1.Health/Check',
        input: HealthCheckRequestSchema,
        output: HealthCheckResponseSchema,
        message: { service },
      });
    expect((await check('')).status).toBe(Status.SERVING);
    expect((await check('fairlead.testing.v1.EchoService')).status).toBe(Status.SERVING);
    await expect(check('nobody')).rejects.toMatchObject({ code: grpc.status.NOT_FOUND });
    server.setServing(false);
    expect((await check('')).status).toBe(Status.NOT_SERVING);
  });

  it.each(['v1', 'v1alpha'] as const)('reflection %s lists every service', async (version) => {
    const client = grpcClient(await start(() => ({})));
    const { messageResponse } = await grpcReflect(client, version, { case: 'listServices', value: '*' });
    expect(
      messageResponse.case === 'listServicesResponse' &&
        messageResponse.value.service.map(({ name }) => name),
    ).toEqual([
      'fairlead.testing.v1.EchoService',
      'grpc.health.v1.Health',
      'grpc.reflection.v1.ServerReflection',
      'grpc.reflection.v1alpha.ServerReflection',
    ]);
  });

  it.each([
    ['fileContainingSymbol', 'fairlead.testing.v1.EchoService'],
    ['fileContainingSymbol', 'fairlead.testing.v1.EchoService.Say'],
    ['fileByFilename', 'fairlead/testing/v1/echo_service.proto'],
  ] as const)('reflection gives the file and its imports by %s %s', async (kind, value) => {
    const client = grpcClient(await start(() => ({})));
    const { messageResponse } = await grpcReflect(client, 'v1', { case: kind, value });
    if (messageResponse.case !== 'fileDescriptorResponse') throw new Error(`got ${messageResponse.case}`);
    const names = messageResponse.value.fileDescriptorProto.map(
      (bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name,
    );
    expect(names).toEqual(['fairlead/testing/v1/echo_service.proto', 'google/protobuf/wrappers.proto']);
  });

  it.each([
    ['fileContainingSymbol', 'fairlead.testing.v1.EchoService.Shout'],
    ['fileContainingSymbol', 'nothing'],
    ['fileByFilename', 'nothing.proto'],
    ['allExtensionNumbersOfType', 'nothing'],
  ] as const)('reflection says NOT_FOUND to %s %s', async (kind, value) => {
    const client = grpcClient(await start(() => ({})));
    const { messageResponse } = await grpcReflect(client, 'v1', { case: kind, value });
    expect(messageResponse).toMatchObject({ case: 'errorResponse', value: { errorCode: Code.NotFound } });
  });
});
