const mapOf = (plain: string, placed: string): Map<string, string> => {
  const signs = [...placed];
  return new Map([...plain].map((sign, index) => [sign, signs[index] as string]));
};
const RAISED = mapOf('0123456789+-−ijkmnptx', '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁱʲᵏᵐⁿᵖᵗˣ');
const LOWERED = mapOf('0123456789ijkmnptx', '₀₁₂₃₄₅₆₇₈₉ᵢⱼₖₘₙₚₜₓ');

/** Numbers, lists of them, and single letters: others are mostly endings (1st, XIXe, Mme). */
const HIGH = /^(?:[+−-]?\d{1,4}(?:[,–] ?\d{1,4})*|[ijkmnptx](?:[+−-]\d{1,3})?)$/;
const LOW = /^[ijkmnptx]$/;

/** Raised text so that the line says the same without being raised: 10⁶ is not 106. */
export const writeRaised = (text: string): string =>
  HIGH.test(text.trim()) ? text.trim().replace(/./g, (sign) => RAISED.get(sign) ?? sign) : text;

/** Lowered text in the same way: xᵢ. The 2 of CO2 needs nothing, that after another digit does. */
export function writeLowered(text: string, before: string): string {
  const isNumber = /^\d{1,3}$/.test(text) && /\d$/.test(before);
  return isNumber || LOW.test(text) ? text.replace(/./g, (sign) => LOWERED.get(sign) ?? sign) : text;
}
