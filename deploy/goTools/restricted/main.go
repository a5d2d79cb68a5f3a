// Evaluates the pods of rendered manifests by the restricted Pod Security Standard, with the code of Kubernetes itself, as
// of the oldest supported version and of the newest:
//
//	restricted manifest.yaml...
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// Deployments and Jobs have their pod template at the same place.
type workload struct {
	Kind     string            `json:"kind"`
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		Template corev1.PodTemplateSpec `json:"template"`
	} `json:"spec"`
}

func main() {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	fail(err)
	pods := 0
	var problems []error
	for _, file := range os.Args[1:] {
		workloads, err := readWorkloads(file)
		fail(err)
		for _, found := range workloads {
			pods++
			template := found.Spec.Template
			meta := metav1.ObjectMeta{Labels: template.Labels, Annotations: template.Annotations}
			for _, version := range []api.Version{api.MajorMinorVersion(1, 30), api.LatestVersion()} {
				level := api.LevelVersion{Level: api.LevelRestricted, Version: version}
				result := policy.AggregateCheckResults(evaluator.EvaluatePod(level, &meta, &template.Spec))
				if !result.Allowed {
					problems = append(problems, fmt.Errorf("%s: %s %s: %s forbids: %s",
						file, found.Kind, found.Metadata.Name, level, result.ForbiddenDetail()))
				}
			}
		}
	}
	fail(errors.Join(problems...))
	fmt.Printf("%d pods are within the restricted Pod Security Standard\n", pods)
}

func readWorkloads(file string) (workloads []workload, err error) {
	reader, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	decoder := yaml.NewYAMLOrJSONDecoder(reader, 64*1024)
	for {
		var document json.RawMessage
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			return workloads, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		var head struct{ Kind string }
		if err := json.Unmarshal(document, &head); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if head.Kind != "Deployment" && head.Kind != "Job" {
			continue
		}
		var found workload
		if err := json.Unmarshal(document, &found); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		workloads = append(workloads, found)
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
