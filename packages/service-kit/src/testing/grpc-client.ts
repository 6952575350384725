import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import {
  ServerReflectionRequestSchema,
  ServerReflectionResponseSchema,
} from '@fairlead/contracts/grpc/reflection/v1/reflection_pb';
import type { ServerReflectionResponse } from '@fairlead/contracts/grpc/reflection/v1/reflection_pb';
import * as grpc from '@grpc/grpc-js';

function serialize<D extends DescMessage>(schema: D) {
  return (message: MessageInitShape<D>) => Buffer.from(toBinary(schema, create(schema, message)));
}

function deserialize<D extends DescMessage>(schema: D) {
  return (bytes: Buffer): MessageShape<D> => fromBinary(schema, bytes);
}

/** Makes one unary call; rejects with grpc-js's ServiceError. */
export function grpcUnary<I extends DescMessage, O extends DescMessage>(
  client: grpc.Client,
  o: { path: string; input: I; output: O; message: MessageInitShape<I>; metadata?: Record<string, string> },
): Promise<MessageShape<O>> {
  const metadata = new grpc.Metadata();
  for (const [name, value] of Object.entries(o.metadata ?? {})) metadata.set(name, value);
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      o.path,
      serialize(o.input),
      deserialize(o.output),
      o.message,
      metadata,
      (error: grpc.ServiceError | null, response?: MessageShape<O>) => {
        if (error !== null) reject(error);
        else if (response !== undefined) resolve(response);
      },
    );
  });
}

/** Sends one request to server reflection. */
export function grpcReflect(
  client: grpc.Client,
  version: 'v1' | 'v1alpha',
  question: MessageInitShape<typeof ServerReflectionRequestSchema>['messageRequest'],
): Promise<ServerReflectionResponse> {
  const stream = client.makeBidiStreamRequest(
    `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
    serialize(ServerReflectionRequestSchema),
    deserialize(ServerReflectionResponseSchema),
    new grpc.Metadata(),
  );
  return new Promise((resolve, reject) => {
    stream.once('data', (answer: ServerReflectionResponse) => {
      stream.end();
      resolve(answer);
    });
    stream.once('error', reject);
    stream.write(question === undefined ? {} : { messageRequest: question });
  });
}
