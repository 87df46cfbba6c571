import type { ScheduleFrame } from '@/api/schema.gen';
import { useIsPhone } from '@/ui/hooks/useIsPhone';
import { FrameCards } from './FrameCards';
import { FrameTable } from './FrameTable';

export interface FramesProps {
  frames: readonly ScheduleFrame[];
  /** The errors of a frame, if any. */
  faultOf: (frame: ScheduleFrame) => string | undefined;
  isChanged: (frame: ScheduleFrame) => boolean;
  isRemoved: (frame: ScheduleFrame) => boolean;
  disabled: boolean;
  onEdit: (number: number) => void;
}

/** The frames of a schedule with buttons to edit them. */
export function ScheduleFrames(props: FramesProps) {
  return useIsPhone() ? <FrameCards {...props} /> : <FrameTable {...props} />;
}
