import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { ModelAnswer, ModelRequest } from '../../models/model.ts';
import { sendModel } from '../../routing/send-model.ts';
import type { Services } from '../../operations/services.ts';

/** The model that a run uses. */
export interface RunModel {
  name: string;
  /** Whether it is the client's model, which a user may decline for the rest of the run. */
  isClients: boolean;
  ask(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>;
}

/** The name of a client model that is not known. */
export const CLIENT_MODEL = 'the client’s model';
const RETRIES_MAX = 2;

/** The configured model, or the model of the waiting client, if it offers one. */
export function runModel(
  input: { use_model?: boolean | undefined; background?: boolean | undefined },
  call: Pick<Call, 'requestSampling'>,
  services: Services,
): RunModel | undefined {
  if (input.use_model === false) return undefined;
  const { model } = services;
  if (model !== undefined)
    return {
      name: model.settings.model,
      isClients: false,
      ask: (request, signal) => sendModel(model, request, services, { signal, retries: RETRIES_MAX }),
    };
  const { requestSampling } = call;
  // A client can be asked only while its call lasts.
  const isOffered = requestSampling !== undefined && input.background !== true;
  if (!isOffered || !services.config.model.sampling) return undefined;
  return clientModel((request, signal) => requestSampling(request, signal));
}

function clientModel(requestSampling: NonNullable<Call['requestSampling']>): RunModel {
  let asked = 0;
  return {
    name: CLIENT_MODEL,
    isClients: true,
    ask: async (request, signal) => {
      asked += 1;
      if (asked > LIMITS.samplingAsksMax)
        throw new HeadgateError(
          'over_budget',
          `Research may call the client’s model at most ${LIMITS.samplingAsksMax} times.`,
        );
      const { text, isCut } = await requestSampling(request, signal);
      return { text, isCut, tokens: { input: 0, output: 0 } };
    },
  };
}
