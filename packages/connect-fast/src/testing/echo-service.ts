import { create, createFileRegistry } from '@bufbuild/protobuf';
import type { GenService } from '@bufbuild/protobuf/codegenv2';
import {
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  MethodOptions_IdempotencyLevel,
  file_google_protobuf_wrappers,
} from '@bufbuild/protobuf/wkt';
import type { StringValueSchema } from '@bufbuild/protobuf/wkt';

type Shape = GenService<{
  say: { methodKind: 'unary'; input: typeof StringValueSchema; output: typeof StringValueSchema };
  read: { methodKind: 'unary'; input: typeof StringValueSchema; output: typeof StringValueSchema };
  repeat: {
    methodKind: 'server_streaming';
    input: typeof StringValueSchema;
    output: typeof StringValueSchema;
  };
}>;

const FILE = 'fairlead/testing/v1/echo_service.proto';
const TYPE_NAME = 'fairlead.testing.v1.EchoService';

/**
 * A service for tests of RPC servers and clients: `Say` echoes a StringValue; `Read` does the same and is declared
 * free of side effects; `Repeat` streams it.
 */
export const EchoService: Shape = build();

function build(): Shape {
  const file = create(FileDescriptorProtoSchema, {
    name: FILE,
    package: 'fairlead.testing.v1',
    syntax: 'proto3',
    dependency: [file_google_protobuf_wrappers.proto.name],
    service: [
      {
        name: 'EchoService',
        method: [
          {
            name: 'Say',
            inputType: '.google.protobuf.StringValue',
            outputType: '.google.protobuf.StringValue',
          },
          {
            name: 'Read',
            inputType: '.google.protobuf.StringValue',
            outputType: '.google.protobuf.StringValue',
            options: { idempotencyLevel: MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS },
          },
          {
            name: 'Repeat',
            inputType: '.google.protobuf.StringValue',
            outputType: '.google.protobuf.StringValue',
            serverStreaming: true,
          },
        ],
      },
    ],
  });
  const set = create(FileDescriptorSetSchema, { file: [file_google_protobuf_wrappers.proto, file] });
  const service = createFileRegistry(set).getService(TYPE_NAME);
  if (service === undefined) throw new Error(`${TYPE_NAME} was not built.`);
  // The descriptor above matches the type, as in generated code.
  return service as Shape;
}
