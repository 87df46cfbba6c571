import { t } from '@/i18n/en';
import { Card } from '@/ui/layout/Card';
import classes from './OptionsStep.module.css';
import { type CopyOption, OPTIONS } from './options';

interface Props {
  chosen: readonly CopyOption[];
  onChange: (chosen: CopyOption[]) => void;
  disabled: boolean;
  /** What else to know about options. */
  notes: Partial<Record<CopyOption, string>>;
}

/** Step 1: the options. */
export function OptionsStep({ chosen, onChange, disabled, notes }: Props) {
  const toggle = (option: CopyOption) =>
    onChange(chosen.includes(option) ? chosen.filter((one) => one !== option) : [...chosen, option]);
  return (
    <Card title={t.copy.steps.options}>
      <div className={classes.options}>
        {OPTIONS.map((option) => (
          <label key={option} className={classes.option}>
            <input
              className={classes.box}
              type="checkbox"
              aria-label={t.copy.options[option].label}
              aria-describedby={`copy-${option}`}
              checked={chosen.includes(option)}
              onChange={() => toggle(option)}
              disabled={disabled}
            />
            <span>
              <span className={classes.name}>{t.copy.options[option].label}</span>
              <span id={`copy-${option}`} className={classes.what}>
                {[t.copy.options[option].what, notes[option]].filter(Boolean).join('. ')}
              </span>
            </span>
          </label>
        ))}
      </div>
    </Card>
  );
}
