import { createRegistry, toBinary } from '@bufbuild/protobuf';
import type { DescFile, DescService, Registry } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Code } from '@connectrpc/connect';
import type { ConnectRouter } from '@connectrpc/connect';
import { ServerReflection as ServerReflectionV1 } from '@fairlead/contracts/grpc/reflection/v1/reflection_pb';
import type { ServerReflectionRequest } from '@fairlead/contracts/grpc/reflection/v1/reflection_pb';
import { ServerReflection as ServerReflectionV1alpha } from '@fairlead/contracts/grpc/reflection/v1alpha/reflection_pb';
import type { ServerReflectionRequest as ServerReflectionRequestV1alpha } from '@fairlead/contracts/grpc/reflection/v1alpha/reflection_pb';

/** The services of the reflection protocol. */
export const reflectionServices: readonly DescService[] = [ServerReflectionV1, ServerReflectionV1alpha];

type Question = (ServerReflectionRequest | ServerReflectionRequestV1alpha)['messageRequest'];

/** Adds grpc.reflection v1 and v1alpha for `services` and all files that they import. */
export function addReflection(router: ConnectRouter, services: readonly DescService[]): void {
  const answer = createAnswers(services);
  // The two versions differ only in their package.
  router.service(ServerReflectionV1, {
    async *serverReflectionInfo(requests) {
      for await (const request of requests) {
        yield {
          validHost: request.host,
          originalRequest: request,
          messageResponse: answer(request.messageRequest),
        };
      }
    },
  });
  router.service(ServerReflectionV1alpha, {
    async *serverReflectionInfo(requests) {
      for await (const request of requests) {
        yield {
          validHost: request.host,
          originalRequest: request,
          messageResponse: answer(request.messageRequest),
        };
      }
    },
  });
}

function createAnswers(services: readonly DescService[]) {
  const files = new Map<string, DescFile>();
  for (const service of services) collect(service.file, files);
  const registry = createRegistry(...files.values());

  return function answer(question: Question) {
    switch (question.case) {
      case 'listServices':
        return {
          case: 'listServicesResponse' as const,
          value: { service: services.map(({ typeName }) => ({ name: typeName })) },
        };
      case 'fileByFilename':
        return fileAnswer(files.get(question.value), `file ${question.value}`);
      case 'fileContainingSymbol':
        return fileAnswer(fileOfSymbol(registry, question.value), `symbol ${question.value}`);
      case 'fileContainingExtension': {
        const { containingType, extensionNumber } = question.value;
        const message = registry.getMessage(containingType);
        const extension = message && registry.getExtensionFor(message, extensionNumber);
        return fileAnswer(extension?.file, `extension ${extensionNumber} of ${containingType}`);
      }
      case 'allExtensionNumbersOfType':
        return extensionNumbers(registry, question.value);
      default:
        return errorAnswer(Code.InvalidArgument, 'The request asks nothing.');
    }
  };
}

function collect(file: DescFile, files: Map<string, DescFile>): void {
  if (files.has(file.proto.name)) return;
  files.set(file.proto.name, file);
  for (const dependency of file.dependencies) collect(dependency, files);
}

function fileOfSymbol(registry: Registry, symbol: string): DescFile | undefined {
  const type = registry.get(symbol);
  if (type !== undefined) return type.file;
  // A method, field or enum value; the name of its parent is the part before the last dot.
  const parent = registry.get(symbol.slice(0, symbol.lastIndexOf('.')));
  const name = symbol.slice(symbol.lastIndexOf('.') + 1);
  switch (parent?.kind) {
    case 'service':
      return parent.methods.some((method) => method.name === name) ? parent.file : undefined;
    case 'message':
      return parent.members.some((member) => member.name === name) ? parent.file : undefined;
    case 'enum':
      return parent.values.some((value) => value.name === name) ? parent.file : undefined;
    default:
      return undefined;
  }
}

function extensionNumbers(registry: Registry, typeName: string) {
  if (registry.getMessage(typeName) === undefined)
    return errorAnswer(Code.NotFound, `Not found: message ${typeName}.`);
  const extensionNumber = [...registry].flatMap((type) =>
    type.kind === 'extension' && type.extendee.typeName === typeName ? [type.number] : [],
  );
  return {
    case: 'allExtensionNumbersResponse' as const,
    value: { baseTypeName: typeName, extensionNumber },
  };
}

function fileAnswer(file: DescFile | undefined, what: string) {
  if (file === undefined) return errorAnswer(Code.NotFound, `Not found: ${what}.`);
  const withImports = new Map<string, DescFile>();
  collect(file, withImports);
  const fileDescriptorProto = [...withImports.values()].map(({ proto }) =>
    toBinary(FileDescriptorProtoSchema, proto),
  );
  return { case: 'fileDescriptorResponse' as const, value: { fileDescriptorProto } };
}

function errorAnswer(errorCode: Code, errorMessage: string) {
  return { case: 'errorResponse' as const, value: { errorCode, errorMessage } };
}
