import type { Call } from '../../../core/call.ts';
import { HeadgateError } from '../../../core/errors.ts';
import { LIMITS } from '../../../core/limits.ts';
import type { ModelAnswer, ModelRequest } from '../../../models/model.ts';
import { sendModel } from '../../asking/send-model.ts';
import type { Services } from '../../services.ts';

/** A model as a run asks it. */
export interface RunModel {
  name: string;
  /** Whether it belongs to the client that called: a person may refuse it, and then nobody asks again. */
  isClients: boolean;
  ask(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>;
}

/** What a report says of a model whose name nobody told us. */
export const CLIENT_MODEL = 'the client’s model';
const RETRIES_MAX = 2;

/** The model that the configuration chose, else that of the client that waits for the report, if it offers one. */
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
  // A client can be asked only as long as its call lasts.
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
          `A research asks the client’s model at most ${LIMITS.samplingAsksMax} times.`,
        );
      const { text, isCut } = await requestSampling(request, signal);
      return { text, isCut, tokens: 0 };
    },
  };
}
